import { keptRequestToWire, type KeptRequest } from "#model";
import { safeJson } from "../plan/safe-json.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { stateWords } from "./card-lines.ts";
import { orFail, withApprovals } from "./open-approvals.ts";

export const define: Define = (inbox, act) => {
  inbox
    .option("--missed", "show what ended without your decision")
    .option("--json", "print JSON")
    .action(act(showInbox));
};

type Options = { readonly missed?: true; readonly json?: boolean };

/** The first is the one that is asked about now: its time runs once it was shown. */
const showInbox: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const requests = await withApprovals(call, async (approvals) =>
    orFail(await (options.missed ? approvals.missed() : approvals.inbox())),
  );
  if (options.json) return terminal.line(safeJson({ requests: requests.map(keptRequestToWire) }));
  const [first] = requests;
  if (first === undefined) return terminal.note(options.missed ? "Nothing was missed." : "Nothing waits for you.");
  const columns = [
    { header: "ID" },
    { header: "WHAT", flexible: true },
    { header: "RISK" },
    { header: "ASKED", spare: 1 },
    { header: "STATE", spare: 2 },
  ] as const;
  printTable(terminal, { columns, rows: requests.map(rowOf) });
  terminal.note(
    options.missed
      ? `Ask once more with \`silas plan propose --again ${first.requestId}\`.`
      : `\`silas approve ${first.requestId}\` shows the first and asks you.`,
  );
};

const rowOf = (request: KeptRequest): readonly string[] => [
  request.requestId,
  request.card.intent,
  request.riskLevel,
  showMoment(request.createdAt),
  stateWords(request),
];
