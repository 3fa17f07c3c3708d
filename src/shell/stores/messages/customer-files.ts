import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS, parseStrictJson } from "#base";
import type { CustomerContext } from "#model";
import type { CustomerContexts } from "#ports";
import { ensurePrivateDir } from "../private-files.ts";

/** An id is one name: nothing in it can lead to another directory. */
const CUSTOMER_ID = /^[A-Za-z0-9][A-Za-z0-9_@-]{0,127}$/;
const OTHERS_MAY_WRITE = 0o022;

/**
 * Records of customers, each a JSON file of its own in the one directory that was configured for them. The directory is
 * made so that no other user of the machine may enter it, and a file that others may write is not believed. [ACC-14]
 */
export function openCustomerFiles(dir: string): CustomerContexts {
  const isOwn = makePrivate(dir);
  return {
    load: async (customerId) => (isOwn && CUSTOMER_ID.test(customerId) ? read(join(dir, `${customerId}.json`)) : null),
  };
}

/** A directory that cannot be made or closed to others gives nothing; everything else goes on without it. */
function makePrivate(dir: string): boolean {
  try {
    ensurePrivateDir(dir);
    return true;
  } catch {
    return false;
  }
}

async function read(path: string): Promise<CustomerContext | null> {
  try {
    // A link could lead anywhere, so none is followed; what is checked is what is read.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { mode, size } = await file.stat();
      const isOwn = process.platform === "win32" || (mode & OTHERS_MAY_WRITE) === 0;
      if (!isOwn || (mode & constants.S_IFMT) !== constants.S_IFREG || size > LIMITS.customerBytes) return null;
      return recordOf(await file.readFile());
    } finally {
      await file.close();
    }
  } catch {
    // Absent, unreadable or not a file: without a record there is no context.
    return null;
  }
}

/** A record is one object with each key once; anything else is none. */
function recordOf(bytes: Uint8Array): CustomerContext | null {
  if (bytes.byteLength > LIMITS.customerBytes) return null;
  const parsed = parseStrictJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  const isRecord =
    parsed.ok && typeof parsed.value === "object" && parsed.value !== null && !Array.isArray(parsed.value);
  return isRecord ? (parsed.value as CustomerContext) : null;
}
