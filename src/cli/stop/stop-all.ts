import type { StopBody } from "#model";
import { orFail } from "../approvals/open-approvals.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { withWork } from "../work/open-work.ts";

export const define: Define = (stop, act) => {
  stop
    .description("End everything that runs, and let nothing begin until `silas start-again`. Silas itself goes on.")
    .option("--json", "print JSON")
    .action(act(stopAll));
};

const stopAll: Handler<{ readonly json?: boolean }> = async (call) => {
  const { terminal, options } = call;
  const { stopped, ended } = await withWork(call, async (work) => orFail(await work.stops.stop({ kind: "terminal" })));
  if (options.json) return terminal.json({ stopped, ended } satisfies StopBody);
  terminal.line(`Stopped everything; ${ended === 1 ? "1 run was" : `${ended} runs were`} ended.`);
  terminal.note("Nothing begins until `silas start-again`. What was changed outside of workspaces stays as it is.");
};
