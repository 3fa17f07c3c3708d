import { setTimeout as wait } from "node:timers/promises";
import { msOfInstant } from "#base";
import type { WorkDetail } from "#model";
import type { WorkDoor } from "#ports";
import { orFail } from "../approvals/open-approvals.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { seconds } from "../work/run-lines.ts";

const LOOK_AGAIN_MS = 150;
/** A step that prints nothing is mentioned again after this long. */
const STILL_MS = 10_000;

export type Watching = { readonly runId: string; readonly terminal: Pick<Terminal, "note">; readonly isQuiet: boolean };

/** Says where the run is until it is over. Nobody who stops looking stops the run. */
export async function watchRun(work: WorkDoor, { runId, terminal, isQuiet }: Watching): Promise<WorkDetail> {
  let said = "";
  let saidAtMs = 0;
  for (;;) {
    const detail = orFail(await work.show(runId));
    if (detail.run.endedAt !== null) return detail;
    const { words, more } = progressWords(detail);
    const isOld = performance.now() - saidAtMs > STILL_MS;
    if (!isQuiet && words !== "" && (words !== said || isOld)) {
      terminal.note(`${words}${more}`);
      [said, saidAtMs] = [words, performance.now()];
    }
    await wait(LOOK_AGAIN_MS);
  }
}

/** What changes the line, and what only goes with it. */
function progressWords({ run, progress }: WorkDetail): { readonly words: string; readonly more: string } {
  if (progress === null) return { words: run.status === "pending" ? "Waits to be run" : "", more: "" };
  const { step, steps, name, attempt, lastLine, since } = progress;
  const tries = attempt > 1 ? ` (attempt ${attempt})` : "";
  const words = step === null ? `Check ${name}${tries}` : `Step ${step} of ${steps}: ${name}${tries}`;
  const elapsedMs = Math.max(0, Date.now() - msOfInstant(since));
  return { words, more: `  ${seconds(elapsedMs)}${lastLine === "" ? "" : `  ${lastLine}`}` };
}
