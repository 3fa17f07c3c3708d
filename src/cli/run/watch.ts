import { setTimeout as wait } from "node:timers/promises";
import { msOfInstant, oneLine } from "#base";
import { stepPlace, type WorkDetail } from "#model";
import type { WorkDoor } from "#ports";
import { orFail } from "../approvals/open-approvals.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { seconds, stepState } from "../work/run-lines.ts";

const LOOK_AGAIN_MS = 150;
/** A step that prints nothing is mentioned again after this long. */
const STILL_MS = 10_000;

type Watching = {
  readonly runId: string;
  readonly terminal: Pick<Terminal, "note">;
  readonly isQuiet: boolean;
  /** Told each time it was looked at and is not over. */
  readonly onLook?: (detail: WorkDetail) => Promise<void>;
};

/** Says where the run is until it is over. Nobody who stops looking stops the run. */
export async function watchRun(work: WorkDoor, { runId, terminal, isQuiet, onLook }: Watching): Promise<WorkDetail> {
  const said = createTeller(isQuiet ? () => {} : terminal.note);
  for (;;) {
    const detail = orFail(await work.show(runId));
    said(detail);
    if (detail.run.endedAt !== null) return detail;
    await onLook?.(detail);
    await wait(LOOK_AGAIN_MS);
  }
}

/** Every step that has ended, once, and what runs now whenever that changes. */
function createTeller(note: (text: string) => void): (detail: WorkDetail) => void {
  const told = new Set<string>();
  let last = "";
  let lastAtMs = 0;
  return (detail) => {
    for (const entry of detail.ledger) {
      if (entry.state === "started" || told.has(entry.executionId)) continue;
      told.add(entry.executionId);
      note(`Step ${entry.stepIndex + 1}: ${oneLine(entry.stepName)}, ${stepState(entry)}`);
    }
    const { words, more } = progressWords(detail);
    const isOld = performance.now() - lastAtMs > STILL_MS;
    if (words === "" || detail.run.endedAt !== null || (words === last && !isOld)) return;
    note(`${words}${more}`);
    [last, lastAtMs] = [words, performance.now()];
  };
}

const RESTING: { readonly [status: string]: string } = {
  pending: "Waits to be run",
  waiting: "Waits for your decision",
};

/** What changes the line, and what only goes with it. */
function progressWords({ run, progress, project }: WorkDetail): { readonly words: string; readonly more: string } {
  if (run.consult !== undefined) return { words: "Asks the planner for advice", more: "" };
  if (progress === null) return { words: RESTING[run.status] ?? "", more: "" };
  const { step, name, attempt, lastLine, since } = progress;
  const tries = attempt > 1 ? ` (attempt ${attempt})` : "";
  const words =
    step === null
      ? `Check ${name}${tries}`
      : `${project === null ? "Step" : "Task"} ${stepPlace(progress)}: ${name}${tries}`;
  const elapsedMs = Math.max(0, Date.now() - msOfInstant(since));
  return { words, more: `  ${seconds(elapsedMs)}${lastLine === "" ? "" : `  ${lastLine}`}` };
}
