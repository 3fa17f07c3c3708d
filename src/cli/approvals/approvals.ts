import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { sha256Hex } from "#base";
import { keptRequestToWire, type KeptRequest } from "#model";
import { safeJson } from "../plan/safe-json.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { forTarget } from "../terminal/terminal.ts";
import { describeRequest, stateWords } from "./card-lines.ts";
import { findRequest, orFail, withApprovals } from "./open-approvals.ts";
import { proposePayload } from "./propose-payload.ts";
import { verifyReceiptFile } from "./verify.ts";

type Json = { readonly json?: boolean };

export const define: Define = (approvals, act) => {
  const json = ["--json", "print JSON"] as const;
  approvals
    .command("list")
    .description("List every request and what became of it.")
    .option(...json)
    .action(act(listRequests));
  approvals
    .command("show <id>")
    .description("Show everything about one request; its time starts to run when it is first shown.")
    .option(...json)
    .action(act(showRequest));
  approvals
    .command("propose <file>")
    .description("Ask for a decision on a batch or on limits of autonomy, as JSON; - reads standard input.")
    .option(...json)
    .action(act(proposePayload));
  approvals
    .command("export <id> [file]")
    .description("Write the receipt of an approval, which anyone can check without Silas.")
    .action(act(exportReceipt));
  approvals
    .command("verify <file>")
    .description("Check a receipt; needs no data directory and no network. - reads standard input.")
    .option("--key <id>", "the key it must be signed with, as the owner's `silas keys list` names it")
    .option(...json)
    .action(act(verifyReceiptFile));
};

const listRequests: Handler<Json> = async (call) => {
  const { options, terminal } = call;
  const all = await withApprovals(call, async (approvals) => orFail(await approvals.all()));
  if (options.json) return terminal.line(safeJson({ requests: all.map(keptRequestToWire) }));
  if (all.length === 0) return terminal.note("Nothing was asked yet. `silas plan propose FILE` asks for a decision.");
  const columns = [
    { header: "ID" },
    { header: "WHAT", flexible: true },
    { header: "RISK", spare: 1 },
    { header: "ASKED", spare: 2 },
    { header: "STATE" },
  ] as const;
  printTable(terminal, { columns, rows: all.map(rowOf) });
};

const rowOf = (request: KeptRequest): readonly string[] => [
  request.requestId,
  request.card.intent,
  request.riskLevel,
  showMoment(request.createdAt),
  shortState(request),
];

function shortState(request: KeptRequest): string {
  if (request.state === "pending") return stateWords(request);
  return request.state === "declined" && request.replacedBy !== null ? "replaced by a selection" : request.state;
}

const showRequest: Handler<Json> = async (call) => {
  const { options, terminal } = call;
  const request = await withApprovals(call, async (approvals) => {
    const { requestId } = await findRequest(approvals, call.args[0] ?? "");
    return orFail(await approvals.show(requestId));
  });
  if (options.json) terminal.line(safeJson(keptRequestToWire(request)));
  else for (const line of describeRequest(request)) terminal.line(line);
  // The shown text is read from the store; only the hash proves that it is the text that was asked or signed.
  if (sha256Hex(request.projection) === request.planHash) return;
  throw new CommandFailure({
    what: "What is stored is not what its hash stands for: the request was changed after it was asked.",
    kept: "Nothing runs on it.",
    next: "Do not approve it. `silas doctor` checks the rest; propose the plan again.",
  });
};

const exportReceipt: Handler<object> = async (call) => {
  const { terminal, environment, outside } = call;
  const [id = "", file] = call.args;
  const receipt = await withApprovals(call, async (approvals) => {
    const { requestId } = await findRequest(approvals, id);
    return orFail(await approvals.receipt(requestId));
  });
  if (file === undefined) return void outside.stdout.write(forTarget(outside.stdout, receipt));
  const path = resolve(environment.cwd, file);
  try {
    await writeFile(path, receipt, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    throw new CommandFailure({
      what: `The receipt could not be written to ${path}.`,
      kept: "A file that is there is never replaced.",
      next: "Name a file that does not exist, in a directory you may write to.",
      cause,
    });
  }
  terminal.note(`Wrote ${path}. \`silas approvals verify ${file}\` checks it.`);
};
