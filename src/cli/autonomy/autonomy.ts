import { oneLine } from "#base";
import { autonomyViewToWire, keptRequestToWire } from "#model";
import { confirmRequest } from "../approvals/approve.ts";
import { findRequest, orFail, withApprovals } from "../approvals/open-approvals.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { withWork } from "../work/open-work.ts";
import { describeAutonomy } from "./autonomy-lines.ts";

type Options = { readonly json?: boolean };
type TightenOptions = Options & { readonly hash?: string; readonly propose?: true };

export const define: Define = (autonomy, act) => {
  autonomy.option("--json", "print JSON").action(act(show));
  autonomy
    .command("show")
    .description("Each limit with what changed it, and the decisions that argue for another.")
    .option("--json", "print JSON")
    .action(act(show));
  autonomy
    .command("check")
    .description("Count now, and ask where your decisions argue for other limits. Changes nothing.")
    .option("--json", "print JSON")
    .action(act(check));
  autonomy
    .command("tighten [id]")
    .description("Take widened limits back to your configuration; with a proposal about limits, instead of that one.")
    .option("--propose", "only ask; decide in the browser or with `silas approve`")
    .option("--hash <hash>", "approve exactly the request with this hash, without being asked")
    .option("--json", "print JSON")
    .action(act(tighten));
};

const TERMINAL = { kind: "terminal" } as const;

const show: Handler<Options> = async (call) => {
  const view = await withWork(call, async ({ autonomy }) => orFail(await autonomy.show()));
  if (call.options.json) return call.terminal.line(safeJson(autonomyViewToWire(view)));
  for (const line of describeAutonomy(view)) call.terminal.line(line);
};

const check: Handler<Options> = async ({ options, terminal, ...call }) => {
  const proposed = await withWork(call, async ({ autonomy }) => orFail(await autonomy.check()));
  if (options.json) {
    return terminal.line(safeJson({ requests: proposed.map(({ request }) => keptRequestToWire(request)) }));
  }
  if (proposed.length === 0) return terminal.line("Your decisions argue for no other limits now.");
  for (const { request } of proposed) {
    terminal.line(`${request.requestId}  ${oneLine(request.card.intent)}`);
    terminal.note(`Nothing has changed. \`silas approve ${request.requestId}\` shows it and asks you.`);
  }
};

const tighten: Handler<TightenOptions> = async (call) => {
  const { options, terminal } = call;
  const [typed] = call.args;
  const requestId =
    typed === undefined ? null : (await withApprovals(call, (approvals) => findRequest(approvals, typed))).requestId;
  const { request } = await withWork(call, async ({ autonomy }) =>
    orFail(await autonomy.tighten({ requestId, actor: TERMINAL })),
  );
  if (options.propose) {
    if (options.json) return terminal.line(safeJson(keptRequestToWire(request)));
    terminal.line(`${request.requestId}  ${oneLine(request.card.intent)}`);
    return terminal.note(`Waits for your decision. \`silas approve ${request.requestId}\` shows it.`);
  }
  const shown = await withApprovals(call, async (approvals) => orFail(await approvals.show(request.requestId)));
  const confirmed = await confirmRequest(call, shown);
  const answer = { requestId: shown.requestId, verdict: "approved", actor: TERMINAL, ...confirmed } as const;
  const approved = await withApprovals(call, async (approvals) => orFail(await approvals.decide(answer)));
  if (options.json) return terminal.line(safeJson(keptRequestToWire(approved)));
  terminal.line(`Tightened: ${oneLine(approved.card.intent)}`);
  terminal.note(`\`silas autonomy show\` says how each limit stands now.`);
};
