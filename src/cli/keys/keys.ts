import { oneLine } from "#base";
import { nameSchema, ownerKeyToWire, type OwnerKey } from "#model";
import { askFirst } from "../terminal/ask.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT } from "../terminal/failure.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { confirmDevice } from "./confirm.ts";
import { findById } from "./find-by-id.ts";
import type { Keys } from "./http-keys.ts";
import { withKeys } from "./open-keys.ts";
import { definePasskeys } from "./passkeys.ts";
import { signFile, verifyFile } from "./signatures.ts";
import { keysFailure } from "./words.ts";

type Json = { readonly json?: boolean };

const TERMINAL = { kind: "terminal" } as const;

export const define: Define = (keys, act) => {
  const json = ["--json", "print JSON"] as const;
  keys
    .command("list")
    .description("List your keys: public halves only.")
    .option(...json)
    .action(act(listKeys));
  keys
    .command("enrol <name>")
    .description("Make a new signing key. The one before stays good for checking until you revoke it.")
    .option(...json)
    .action(act(enrolKey));
  keys
    .command("confirm [code]")
    .description("Let a browser sign approvals, once you have compared its code with the one shown here.")
    .option(...json)
    .action(act(confirmDevice));
  keys
    .command("revoke <id>")
    .description("Take a key out of use for good; its signatures stop counting.")
    .option("--yes", "do not ask")
    .option("--last-key", "revoke it even if no key is left to sign or check with")
    .option(...json)
    .action(act(revokeKey));
  keys
    .command("sign <file>")
    .description("Print a signature over a file, made with the key in the vault.")
    .option(...json)
    .action(act(signFile));
  keys
    .command("verify <file>")
    .description("Check a signature over a file.")
    .requiredOption("--signature <signature>", "as `silas keys sign` printed it")
    .option("--key <public>", "check against this public key instead of your enrolled ones")
    .option(...json)
    .action(act(verifyFile));
  definePasskeys(keys.command("passkeys").description("The passkeys of signed-in browsers."), act);
};

const listKeys: Handler<Json> = (call) =>
  withKeys(call, async (keys) => {
    const { terminal, options } = call;
    const all = await loadKeys(keys);
    if (options.json) return terminal.json({ keys: all.map(ownerKeyToWire) });
    if (all.length === 0) return terminal.note("No keys yet. `silas init` makes the first one.");
    const columns = [
      { header: "ID" },
      { header: "NAME", flexible: true },
      { header: "HELD BY", spare: 4 },
      { header: "STATE" },
      { header: "ENROLLED", spare: 2 },
      { header: "LAST USED", spare: 3 },
      { header: "PUBLIC KEY", spare: 1 },
    ] as const;
    printTable(terminal, { columns, rows: all.map(rowOf) });
  });

const rowOf = (key: OwnerKey): readonly string[] => [
  key.keyId,
  key.name,
  key.kind === "browser" ? "a browser" : "the vault",
  key.revokedAt === null ? "in use" : `revoked ${showMoment(key.revokedAt)}`,
  showMoment(key.enrolledAt),
  key.lastUsedAt === null ? "never" : showMoment(key.lastUsedAt),
  key.publicKey,
];

const enrolKey: Handler<Json> = (call) =>
  withKeys(call, async (keys) => {
    const { terminal, options } = call;
    const name = nameSchema.safeParse(call.args[0]);
    if (!name.success) {
      throw new CommandFailure({ what: "A key needs a name of at most 80 characters.", exit: EXIT.usage });
    }
    const enrolled = await keys.enrol(name.data, TERMINAL);
    if (!enrolled.ok) throw keysFailure(enrolled.error);
    if (options.json) return terminal.json(ownerKeyToWire(enrolled.value));
    terminal.line(`Enrolled ${enrolled.value.keyId}, ${oneLine(name.data)}; it signs from now on.`);
    terminal.note("Earlier keys stay good for checking; `silas keys revoke ID` ends one.");
  });

const revokeKey: Handler<Json & { readonly yes?: true; readonly lastKey?: true }> = (call) =>
  withKeys(call, async (keys) => {
    const { terminal, options } = call;
    const key = findKey(await loadKeys(keys), call.args[0] ?? "");
    if (!options.yes) {
      await askFirst(terminal, {
        because: "Revoking a key cannot be taken back",
        question: `Revoke ${key.keyId} (${oneLine(key.name)}) for good?`,
        declined: "Not revoked.",
      });
    }
    const lastKey = options.lastKey ? "revoke" : "refuse";
    const revoked = await keys.revoke({ keyId: key.keyId, lastKey, actor: TERMINAL });
    if (!revoked.ok) throw keysFailure(revoked.error);
    if (options.json) return terminal.json(ownerKeyToWire(revoked.value));
    terminal.line(`Revoked ${key.keyId}, ${oneLine(key.name)}`);
  });

async function loadKeys(keys: Keys): Promise<readonly OwnerKey[]> {
  const listed = await keys.list();
  if (!listed.ok) throw keysFailure(listed.error);
  return listed.value;
}

function findKey(keys: readonly OwnerKey[], typed: string): OwnerKey {
  const key = findById(keys, { typed, idOf: ({ keyId }) => keyId, plural: "keys" });
  if (key === null) throw keysFailure({ code: "key_unknown", keyId: typed });
  return key;
}
