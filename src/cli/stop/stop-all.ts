import { STOP_UNRECORDED, type StopBody } from "#model";
import { orFail } from "../approvals/open-approvals.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { withWork } from "../work/open-work.ts";

export const define: Define = (stop, act) => {
  stop
    .description("End everything that runs, and let nothing begin until `silas start-again`. Silas itself goes on.")
    .option("--json", "print JSON")
    .action(act(stopAll));
};

const stopAll: Handler<{ readonly json?: boolean }> = async (call) => {
  const { terminal, options } = call;
  const done = await withWork(call, async (work) => orFail(await work.stops.stop({ kind: "terminal" })));
  const { ended, recorded } = done;
  if (options.json) terminal.json(done satisfies StopBody);
  if (!recorded)
    throw new CommandFailure({ what: `Ended ${ended === 1 ? "1 run" : `${ended} runs`}. ${STOP_UNRECORDED}` });
  if (options.json) return;
  terminal.line(`Stopped everything; ${ended === 1 ? "1 run was" : `${ended} runs were`} ended.`);
  terminal.note("Nothing begins until `silas start-again`. What was changed outside of workspaces stays as it is.");
};
