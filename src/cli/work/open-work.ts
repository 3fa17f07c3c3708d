import type { Environment } from "#config";
import { ID_PART_CHARS_MIN, isIdPart, type WorkSummary } from "#model";
import type { WorkDoor } from "#ports";
import { orFail } from "../approvals/open-approvals.ts";
import { reachSilas } from "../client/door.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { createHttpWork } from "./http-work.ts";

/** Runs for the time of `talk`: through the running instance, or in this process when none runs. */
export async function withWork<T>(
  { environment }: { readonly environment: Environment },
  talk: (work: WorkDoor) => Promise<T>,
): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: async () => null });
  if (silas.kind === "instance") return talk(createHttpWork(silas.address));
  try {
    return await talk(silas.app.work);
  } finally {
    await silas.app.close();
  }
}

/** The run a typed id means: all of it, an end or a beginning that fits one alone, or the id of its request. */
export async function findRun(work: Pick<WorkDoor, "list">, typed: string): Promise<WorkSummary> {
  const listed = isIdPart(typed) ? orFail(await work.list({ idPart: typed })) : [];
  const fits = listed.filter(({ run: { runId }, requestId, projectRunId }) =>
    // The id of a request means the project, not one of its tasks.
    isPartOf(typed, { runId, requestId: projectRunId === null ? requestId : runId }),
  );
  const [found] = fits;
  if (found !== undefined && fits.length === 1) return found;
  throw new CommandFailure({
    what: fits.length === 0 ? `There is no run ${typed}.` : `${typed} fits ${fits.length} runs.`,
    kept: "Nothing was changed.",
    next: "`silas work list` shows the ids.",
  });
}

/** Whether what was typed is one of these ids, or a part of one that is long enough to mean it. */
export function isPartOf(typed: string, { runId, requestId }: { readonly runId: string; readonly requestId: string }) {
  if (runId === typed || requestId === typed) return true;
  if (typed.length < ID_PART_CHARS_MIN) return false;
  return runId.startsWith(typed) || runId.endsWith(typed) || requestId.startsWith(typed);
}
