import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ApprovalsDoor, DeviceKeysDoor, KeysDoor, Signer } from "#ports";
import type { WebServerDeps } from "../web-context.ts";

const CHANNELS = fileURLToPath(new URL("../../", import.meta.url));

const sources = readdirSync(CHANNELS, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.includes(".test."))
  .map((path) => ({ path, text: readFileSync(join(CHANNELS, path), "utf8") }));

/** Everything a file says it takes from `#room`. */
function takenFrom(room: string, text: string): readonly string[] {
  const pattern = new RegExp(`import (?:type )?\\{([^}]*)\\} from "#${room}"`, "g");
  return [...text.matchAll(pattern)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.replace(/^\s*type /, "").trim()),
  );
}

/** What the parts of a channel are called in `WebServerDeps` must be none of these, or this file does not compile. */
type Held = Extract<keyof WebServerDeps, "signer" | "vault" | "registry" | "store" | "passphrase">;
const holdsNothing: [Held] extends [never] ? true : false = true;
/** No door that a channel is given has the shape of a signer: none takes bytes of the caller's choice and signs them. */
type SigningDoor = Extract<ApprovalsDoor | DeviceKeysDoor | KeysDoor, Signer>;
const signsNothing: [SigningDoor] extends [never] ? true : false = true;

test("[KEY-06] [FLOW-18] [CARD-18] a channel can neither sign nor mint nor reach a key: not by its imports and not by what it is given", () => {
  expect(sources.length).toBeGreaterThan(20);
  for (const { path, text } of sources) {
    const rooms = [...text.matchAll(/from "#([a-z]+)"/g)].map(([, room]) => room);
    expect(
      rooms.filter((room) => !["ports", "model", "base"].includes(room ?? "")),
      path,
    ).toEqual([]);
    expect(takenFrom("ports", text), path).not.toContain("Signer");
    for (const name of ["Vault", "KeyRegistry", "ApprovalStore"]) {
      expect(takenFrom("ports", text), path).not.toContain(name);
    }
    expect(text, path).not.toMatch(/\b(createPrivateKey|createSign|generateKeyPair|subtle|createHmac)\b/);
    expect(text, path).not.toMatch(/getBuiltinModule\("node:crypto"\)\.sign|import\("#(runtime|policy|stores)"\)/);
  }
  expect([holdsNothing, signsNothing]).toEqual([true, true]);
});
