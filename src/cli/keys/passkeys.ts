import { oneLine, type Result } from "#base";
import {
  passkeyToWire,
  wordPartsFor,
  type Passkey,
  type PasskeyBody,
  type PasskeyError,
  type StoreFault,
} from "#model";
import { reachSilas } from "../client/door.ts";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";
import { askFirst } from "../terminal/ask.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { findById } from "./find-by-id.ts";

type Json = { readonly json?: boolean };

export const definePasskeys: Define = (passkeys, act) => {
  const json = ["--json", "print JSON"] as const;
  passkeys
    .command("list")
    .description("List the passkeys of signed-in browsers.")
    .option(...json)
    .action(act(listPasskeys));
  passkeys
    .command("remove <id>")
    .description(
      "Remove a passkey without using it, as when it is lost; what cannot be undone then needs only the slide.",
    )
    .option("--yes", "do not ask")
    .option(...json)
    .action(act(removePasskey));
};

const listPasskeys: Handler<Json> = (call) =>
  withPasskeys(call, async ({ list }) => {
    const { terminal, options } = call;
    const all = orFail(await list());
    if (options.json) return terminal.json({ passkeys: all });
    if (all.length === 0) return terminal.note("No passkeys. A browser adds one in its settings.");
    const columns = [
      { header: "ID" },
      { header: "NAME", flexible: true },
      { header: "HOST" },
      { header: "ADDED", spare: 1 },
      { header: "LAST USED", spare: 2 },
    ] as const;
    printTable(terminal, { columns, rows: all.map(rowOf) });
  });

const rowOf = (passkey: PasskeyBody): readonly string[] => [
  passkey.passkey_id,
  passkey.name,
  passkey.rp_id,
  showMoment(passkey.created_at as Passkey["createdAt"]),
  passkey.last_used_at === null ? "never" : showMoment(passkey.last_used_at as Passkey["createdAt"]),
];

const removePasskey: Handler<Json & { readonly yes?: true }> = (call) =>
  withPasskeys(call, async ({ list, remove }) => {
    const { terminal, options } = call;
    const found = findPasskey(orFail(await list()), call.args[0] ?? "");
    if (!options.yes) {
      await askFirst(terminal, {
        because: "Removing a passkey lowers what its browser has to prove",
        question: `Remove the passkey ${found.passkey_id} (${oneLine(found.name)})?`,
        declined: "Not removed.",
      });
    }
    const removed = orFail(await remove(found.passkey_id));
    if (options.json) return terminal.json(removed);
    terminal.line(`Removed ${removed.passkey_id}, ${oneLine(removed.name)}`);
  });

function findPasskey(all: readonly PasskeyBody[], typed: string): PasskeyBody {
  const passkey = findById(all, { typed, idOf: ({ passkey_id: id }) => id, plural: "passkeys" });
  if (passkey === null) throw failure({ code: "passkey_unknown", passkeyId: typed });
  return passkey;
}

type Refusal = PasskeyError | StoreFault;
type Passkeys = {
  list(): Promise<Result<readonly PasskeyBody[], Refusal>>;
  remove(passkeyId: string): Promise<Result<PasskeyBody, Refusal>>;
};

/** The passkeys for the time of `work`: of the instance that runs, or in this process when none does. */
async function withPasskeys<T>(
  { environment }: Pick<Call<unknown>, "environment">,
  work: (passkeys: Passkeys) => Promise<T>,
): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: async () => null });
  if (silas.kind === "instance") return work(createHttpPasskeys(silas.address));
  const { passkeys } = silas.app;
  try {
    return await work({
      list: async () => mapped(await passkeys.list(), (all) => all.map(passkeyToWire)),
      remove: async (id) =>
        mapped(await passkeys.remove({ passkeyId: id as Passkey["passkeyId"], by: null }), passkeyToWire),
    });
  } finally {
    await silas.app.close();
  }
}

function createHttpPasskeys(address: InstanceAddress): Passkeys {
  const call = async <T>(made: HttpCall): Promise<Result<T, Refusal>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const path = "/api/keys/passkeys";
  return {
    list: async () =>
      mapped(
        await call<{ readonly passkeys: readonly PasskeyBody[] }>({ method: "GET", path }),
        ({ passkeys }) => passkeys,
      ),
    remove: (id) =>
      call({ method: "POST", path: `${path}/remove`, body: JSON.stringify({ passkey_id: id, proof: null }) }),
  };
}

const mapped = <T, U, E>(result: Result<T, E>, map: (value: T) => U): Result<U, E> =>
  result.ok ? { ok: true, value: map(result.value) } : result;

function orFail<T>(result: Result<T, Refusal>): T {
  if (result.ok) return result.value;
  throw failure(result.error);
}

function failure(error: Refusal): CommandFailure {
  const { what, kept, next } = wordPartsFor(error);
  return new CommandFailure({ what, kept, ...(next === "" ? {} : { next }) });
}
