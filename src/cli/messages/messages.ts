import { LIMITS } from "#base";
import {
  ID_PART_CHARS_MIN,
  keptMessageToWire,
  keptRequestToWire,
  toldTurnToWire,
  turnFailureWords,
  type KeptMessage,
  type Turn,
} from "#model";
import { orFail } from "../approvals/open-approvals.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { AT_TERMINAL, withMessages, type Reached } from "./open-messages.ts";

type Options = { readonly limit: string; readonly json?: boolean };

export const define: Define = (messages, act) => {
  messages
    .description(
      "What was said to Silas, newest last: when, from where, how far it is trusted, and what the gates decided.",
    )
    .option("--limit <rows>", "at most this many", "50")
    .option("--json", "print JSON")
    .action(act(listMessages));
  messages
    .command("endorse <id>")
    .description("Ask for your signed decision to trust a message as your own words.")
    .action(act(endorseMessage));
};

const listMessages: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const limit = Number(options.limit);
  if (!/^[1-9]\d{0,2}$/.test(options.limit) || limit > LIMITS.pageRows) {
    throw usage(`--limit is a number from 1 to ${LIMITS.pageRows}, not "${options.limit}".`);
  }
  const { listed, turns } = await withMessages(call, async ({ messages, scopeId }) => {
    const found = await newest(messages, { scopeId, limit });
    return { listed: found, turns: orFail(await messages.talk.turnsOf(found.map(({ messageId }) => messageId))) };
  });
  const shown = listed.toReversed();
  if (options.json) {
    return terminal.line(safeJson({ messages: shown.map(keptMessageToWire), turns: turns.map(toldTurnToWire) }));
  }
  if (shown.length === 0) return terminal.note("Nothing was said yet. `silas say TEXT` says something.");
  const columns = [
    { header: "ID" },
    { header: "WHEN" },
    { header: "FROM", spare: 1 },
    { header: "TRUST" },
    { header: "STATE" },
    { header: "TEXT", flexible: true },
  ] as const;
  const turnsById = new Map(turns.map((turn): [string, Turn] => [turn.messageId, turn]));
  const rows = shown.flatMap((message) => {
    const turn = turnsById.get(message.messageId);
    return [rowOf(message), ...(turn === undefined || isBuiltIn(turn) ? [] : [answerRow(turn)])];
  });
  printTable(terminal, { columns, rows });
};

/** That nobody answers is said once, and not below every message. */
const isBuiltIn = ({ state, askedAt }: Turn): boolean => state === "ended" && askedAt === null;

/** Ids made in the same hour begin alike, so their end is shown; `endorse` takes it. */
const ID_END_CHARS = 8;

const rowOf = (message: KeptMessage): readonly string[] => [
  message.messageId.slice(-ID_END_CHARS),
  showMoment(message.receivedAt),
  message.channel,
  trustWords(message),
  message.gate === null ? message.state : `${message.state} (${message.gate.name})`,
  message.text,
];

/** What was answered, below what it answers. */
const answerRow = ({ endedAt, taint, state, failure, reply }: Turn): readonly string[] => [
  "",
  endedAt === null ? "" : showMoment(endedAt),
  "silas",
  taint ?? "",
  state,
  reply ?? (failure === null ? "" : turnFailureWords(failure)),
];

function trustWords({ taint, origin, endorsed }: KeptMessage): string {
  if (endorsed !== null) return "owner, endorsed";
  return taint === "external" ? `external (${origin})` : taint;
}

const newest = async (
  messages: Reached["messages"],
  { scopeId, limit }: { readonly scopeId: string; readonly limit: number },
) => orFail(await messages.list({ scopeId, before: null, limit }));

const endorseMessage: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const typed = call.args[0] ?? "";
  const { request, isNew } = await withMessages(call, async ({ messages, scopeId }) => {
    const messageId = findMessage(await newest(messages, { scopeId, limit: LIMITS.pageRows }), typed);
    return orFail(await messages.endorse({ messageId, scopeId, actor: AT_TERMINAL.actor }));
  });
  if (options.json) return terminal.line(safeJson({ is_new: isNew, request: keptRequestToWire(request) }));
  terminal.line(`${request.requestId}  ${request.card.intent}`);
  terminal.note(
    isNew
      ? `Waits for your decision. \`silas approve ${request.requestId}\` shows all of it; until then nothing changes.`
      : "This waits for your decision already.",
  );
};

/** A whole id, or an end or beginning that fits one message alone. */
function findMessage(listed: readonly KeptMessage[], typed: string): string {
  const fits = listed
    .map(({ messageId }) => messageId)
    .filter(
      (id) => id === typed || (typed.length >= ID_PART_CHARS_MIN && (id.startsWith(typed) || id.endsWith(typed))),
    );
  const [messageId] = fits;
  if (messageId !== undefined && fits.length === 1) return messageId;
  throw new CommandFailure({
    what: fits.length === 0 ? `There is no message ${typed}.` : `${typed} fits ${fits.length} messages.`,
    kept: "Nothing was asked.",
    next: "`silas messages --json` shows the ids.",
  });
}
