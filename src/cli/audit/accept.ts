import { err, type Result } from "#base";
import { HOLD_CHOICE, holdSentence, wordPartsFor, type Hold, type StatusBody } from "#model";
import type { AcceptRefusal, HoldDoor } from "#ports";
import { reachSilas } from "../client/door.ts";
import { callInstance, readAnswer, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";
import { askOnce } from "../keys/open-keys.ts";
import { askFirst } from "../terminal/ask.ts";
import type { Call, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";

type Options = { readonly yes?: true; readonly json?: boolean };
type Accepting = {
  readonly hold: Hold | null;
  accept(hold: Hold): Promise<Result<void, AcceptRefusal>>;
};

/** The owner's word at the terminal; a browser signs for the same. */
export const acceptDatabase: Handler<Options> = async (call) => {
  const { terminal, options } = call;
  const wasHeld = await withHold(call, async ({ hold, accept }) => {
    if (hold === null) return false;
    if (!options.json) terminal.note(holdSentence(hold));
    if (!options.yes) {
      await askFirst(terminal, {
        because: HOLD_CHOICE,
        question: "Accept this database and void every unused approval?",
        declined: "Not accepted. Silas stays read-only.",
      });
    }
    const accepted = await accept(hold);
    if (accepted.ok) return true;
    const { what, kept, next } = wordPartsFor(accepted.error);
    throw new CommandFailure({ what, kept, next });
  });
  if (options.json) return terminal.json({ was_held: wasHeld });
  if (!wasHeld) return terminal.line("There is nothing to accept: the database is the newest one.");
  terminal.line("Accepted. Every unused approval is void; propose again what should still run.");
};

async function withHold<T>(call: Call<Options>, work: (accepting: Accepting) => Promise<T>): Promise<T> {
  const { environment, terminal } = call;
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") return work(await overHttp(silas.address));
  try {
    return await work(here(silas.app.hold));
  } finally {
    await silas.app.close();
  }
}

const here = (door: HoldDoor): Accepting => ({
  hold: door.current(),
  accept: ({ seq, hash }) => door.accept({ seq, hash, actor: { kind: "terminal" }, signed: null }),
});

async function overHttp(address: InstanceAddress): Promise<Accepting> {
  const status = resultOf<StatusBody, never>(
    await readAnswer(await callInstance(address, { method: "GET", path: "/api/status" })),
  );
  return {
    hold: status.ok ? status.value.hold : null,
    accept: async ({ seq, hash }) => {
      const body = JSON.stringify({ seq, hash, signed: null });
      const call = { method: "POST", path: "/api/hold/accept", body } as const;
      const accepted = resultOf<object, AcceptRefusal>(await readAnswer(await callInstance(address, call)));
      return accepted.ok ? { ok: true, value: undefined } : err(accepted.error);
    },
  };
}
