import { oneLine } from "#base";
import { keptRequestToWire } from "#model";
import { safeJson } from "../plan/safe-json.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { findRequest, orFail, withApprovals } from "./open-approvals.ts";

export const define: Define = (decline, act) => {
  decline
    .argument("<id>", "a request, or the beginning of its id")
    .option("--json", "print JSON")
    .action(act(declineRequest));
};

/** Saying no needs no care: nothing runs. */
const declineRequest: Handler<{ readonly json?: boolean }> = (call) =>
  withApprovals(call, async (approvals) => {
    const { options, terminal } = call;
    const { requestId, planHash } = await findRequest(approvals, call.args[0] ?? "");
    const answer = { requestId, verdict: "declined", shownHash: planHash, friction: [] } as const;
    const declined = orFail(await approvals.decide({ ...answer, actor: { kind: "terminal" } }));
    if (options.json) return terminal.line(safeJson(keptRequestToWire(declined)));
    terminal.line(`Declined ${declined.requestId}, ${oneLine(declined.card.intent)}`);
  });
