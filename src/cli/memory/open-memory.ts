import { LIMITS } from "#base";
import { ID_PART_CHARS_MIN } from "#model";
import type { MemoryDoor } from "#ports";
import { orFail } from "../approvals/open-approvals.ts";
import { reachSilas } from "../client/door.ts";
import { askOnce } from "../keys/open-keys.ts";
import type { Call } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { createHttpMemory } from "./http-memory.ts";

/** Memories for the time of `work`: through the running instance, or in this process when none runs. */
export async function withMemory<T>(
  { environment, terminal }: Pick<Call<object>, "environment" | "terminal">,
  work: (memory: MemoryDoor) => Promise<T>,
): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") return work(createHttpMemory(silas.address));
  try {
    return await work(silas.app.memory);
  } finally {
    await silas.app.close();
  }
}

/** A whole id, or an end or beginning that fits one of the newest memories alone. */
export async function idIn(memory: MemoryDoor, typed: string): Promise<string> {
  const listed = orFail(await memory.list({ before: null, limit: LIMITS.pageRows }));
  const fits = listed
    .map(({ memoryId }) => memoryId)
    .filter(
      (id) => id === typed || (typed.length >= ID_PART_CHARS_MIN && (id.startsWith(typed) || id.endsWith(typed))),
    );
  const [memoryId] = fits;
  if (fits.length > 1) {
    throw new CommandFailure({
      what: `${typed} fits ${fits.length} memories.`,
      kept: "Nothing was changed.",
      next: "`silas memory list --json` shows the ids.",
    });
  }
  // One that is older, damaged or gone is asked for by what was typed.
  return memoryId ?? typed;
}
