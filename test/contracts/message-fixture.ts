import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sha256Hex, type Instant } from "#base";
import type { KeptMessage, KeyId, NonceSpending, Reception, RecordId } from "#model";
import { createAuditRules } from "#policy";
import type { AuditLog, MessageStore, NonceStore } from "#ports";
import { openMigratedRuntime } from "#sim";
import type { RuntimeStores } from "#stores";
import { openInMemory } from "../stores-in-memory.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

export const BY = { kind: "terminal" } as const;

const auditRules = createAuditRules(sha256Hex);

type Opened = { readonly messages: MessageStore; readonly nonces: NonceStore; readonly audit: AuditLog };

/** The stores of one file; the same directory again is another connection to it. */
export async function openFile(
  dataDir = join(tempDir(), "data"),
  onRuntimeStatement?: (sql: string) => void,
): Promise<RuntimeStores & { readonly dataDir: string }> {
  const parts = { dataDir, clock: fixedClock, random: countingRandom(), auditRules, onRuntimeStatement };
  const opened = must(await openMigratedRuntime(parts));
  onTestFinished(() => opened.close());
  return { ...opened, dataDir };
}

export const openMemory = async (): Promise<Opened> => openInMemory();

export const spendingOf = (nonce: string, minutes: number, earliest: Instant = at(minutes - 5)): NonceSpending => ({
  nonce: nonce.repeat(32).slice(0, 32),
  at: at(minutes),
  earliest,
});

/** A message as it is before anything happened to it. */
export function messageNamed(name: string, over: Partial<KeptMessage> = {}): KeptMessage {
  return {
    messageId: `message-${name}` as RecordId,
    scopeId: "owner",
    connectionId: "owner",
    channel: "web",
    senderId: "session-1",
    receivedAt: at(0),
    taint: "auth",
    origin: "identity",
    signed: null,
    text: `text of ${name}`,
    originalDigest: sha256Hex(`text of ${name}`),
    scrubbed: [],
    sources: [],
    accessLevel: "owner",
    state: "received",
    gate: null,
    endorsed: null,
    ...over,
  };
}

/** A signed message, and what it becomes when its nonce was spent before. */
export function signedReception(name: string, nonce: string): Reception {
  const spending = spendingOf(nonce, 0);
  const signed = {
    key_id: "a".repeat(32) as KeyId,
    timestamp: at(0),
    nonce: spending.nonce,
    signature: "s".repeat(88),
  };
  return {
    first: messageNamed(name, { signed, taint: "owner", origin: "signature" }),
    replay: { message: messageNamed(name, { signed, taint: "external", origin: "nonce_used" }), spending },
    actor: BY,
  };
}

/** What the chain says, oldest first. */
export async function recorded(audit: AuditLog): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  return entries.toReversed().flatMap(({ event, data }) => {
    const named = String(data["message_id"] ?? "").replace("message-", "");
    return event.startsWith("message_") ? [`${event} ${named}`] : [];
  });
}
