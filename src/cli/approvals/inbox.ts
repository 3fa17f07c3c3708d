import { oneLine } from "#base";
import {
  connectionViewToWire,
  doubtToWire,
  goalSummaryToWire,
  isAskingKind,
  keptRequestToWire,
  secureInputToWire,
  suggestionToWire,
  type KeptRequest,
} from "#model";
import { waitingLine } from "../connections/connection-lines.ts";
import { safeJson } from "../plan/safe-json.ts";
import { missedSuggestionLine, suggestionLine } from "../suggestions/answer-suggestion.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withWork } from "../work/open-work.ts";
import { stateWords } from "./card-lines.ts";
import { orFail, withApprovals } from "./open-approvals.ts";
import { loadWaiting, type Waiting } from "./open-waiting.ts";

export const define: Define = (inbox, act) => {
  inbox
    .option("--missed", "show what ended without your decision")
    .option("--json", "print JSON")
    .action(act(showInbox));
};

type Options = { readonly missed?: true; readonly json?: boolean };

const showInbox: Handler<Options> = (call) => (call.options.missed ? showMissed(call) : showWaiting(call));

async function showMissed(call: Call<Options>): Promise<void> {
  const { options, terminal } = call;
  const requests = await withApprovals(call, async (approvals) => orFail(await approvals.missed()));
  const suggestions = await withWork(call, async (work) => orFail(await work.suggestions.missed()));
  if (options.json) {
    const lists = { requests: requests.map(keptRequestToWire), suggestions: suggestions.map(suggestionToWire) };
    return terminal.line(safeJson(lists));
  }
  const [first] = requests;
  if (first === undefined && suggestions.length === 0) return terminal.note("Nothing was missed.");
  if (first !== undefined) {
    printRequests(terminal, { requests, lastColumn: "STATE" });
    terminal.note(`Ask once more with \`silas plan propose --again ${first.requestId}\`.`);
  }
  for (const line of suggestions.map(missedSuggestionLine)) terminal.line(line);
}

/** The first is the one that is asked about now: its time runs once it was shown. */
async function showWaiting(call: Call<Options>): Promise<void> {
  const { options, terminal } = call;
  const waiting = await loadWaiting(call);
  if (options.json) return terminal.line(safeJson(waitingToWire(waiting)));
  if (waiting.count === 0) terminal.note("Nothing waits for you.");
  const [first] = waiting.requests;
  if (first !== undefined) {
    printRequests(terminal, { requests: waiting.requests, lastColumn: "DECIDE BY" });
    const verb = isAskingKind(first.kind) ? "answer" : "approve";
    terminal.note(`\`silas ${verb} ${first.requestId}\` shows the first and asks you.`);
  }
  for (const line of otherLines(waiting)) terminal.line(line);
}

const waitingToWire = ({ requests, doubts, missedChecks, inputs, connections, suggestions, count }: Waiting) => ({
  requests: requests.map(keptRequestToWire),
  doubts: doubts.map(doubtToWire),
  missed_checks: missedChecks.map(goalSummaryToWire),
  inputs: inputs.map(secureInputToWire),
  connections: connections.map(connectionViewToWire),
  suggestions: suggestions.map(suggestionToWire),
  count,
});

/** What asks for no signature: each with the command that answers it. */
const otherLines = ({ doubts, missedChecks, inputs, connections, suggestions }: Waiting): readonly string[] => [
  ...doubts.map(
    ({ title, runId }) => `In doubt: ${oneLine(title)}. \`silas work settle ${runId}\` says what to choose.`,
  ),
  ...missedChecks.map(({ title, goalId, missedChecks: many }) => {
    const what = many === 1 ? "1 missed check" : `${many} missed checks`;
    return `${what}: ${oneLine(title)}. \`silas goals check ${goalId}\` makes up for it, \`silas goals leave ${goalId}\` does not.`;
  }),
  ...inputs.map(({ label, refId }) => `Secret asked for: ${oneLine(label)}. \`silas secrets set ${refId}\` takes it.`),
  ...connections.map(waitingLine),
  ...suggestions.map(suggestionLine),
];

type Table = { readonly requests: readonly KeptRequest[]; readonly lastColumn: string };

function printRequests(terminal: Terminal, { requests, lastColumn }: Table): void {
  const columns = [
    { header: "ID" },
    { header: "WHAT", flexible: true },
    { header: "RISK" },
    { header: lastColumn, spare: 1 },
  ] as const;
  printTable(terminal, { columns, rows: requests.map(rowOf) });
}

const rowOf = (request: KeptRequest): readonly string[] => [
  request.requestId,
  request.card.intent,
  request.riskLevel,
  request.state === "pending" ? endWords(request) : stateWords(request),
];

/** All of them wait, so only until when is said; when it was asked, `approve` shows. */
const endWords = ({ expiresAt }: KeptRequest): string =>
  expiresAt === null ? "its time has not begun" : showMoment(expiresAt);
