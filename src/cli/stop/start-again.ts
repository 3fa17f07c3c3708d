import type { StartAgainBody } from "#model";
import { orFail } from "../approvals/open-approvals.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { withWork } from "../work/open-work.ts";

export const define: Define = (again, act) => {
  again
    .description("Let work begin again after `silas stop-all`. What was ended stays ended; what waits begins.")
    .option("--json", "print JSON")
    .action(act(startAgain));
};

const startAgain: Handler<{ readonly json?: boolean }> = async (call) => {
  const { terminal, options } = call;
  const wasStopped = await withWork(call, async (work) => orFail(await work.stops.startAgain({ kind: "terminal" })));
  if (options.json) return terminal.json({ was_stopped: wasStopped } satisfies StartAgainBody);
  terminal.line(wasStopped ? "Work may begin again." : "Nothing was stopped.");
};
