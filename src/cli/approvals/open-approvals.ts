import type { Result } from "#base";
import type { LocalApp } from "#compose";
import type { Environment } from "#config";
import { ID_PART_CHARS_MIN, wordPartsFor, type KeptRequest } from "#model";
import { reachSilas } from "../client/door.ts";
import { askOnce } from "../keys/open-keys.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createHttpApprovals, type Approvals } from "./http-approvals.ts";

type Place = { readonly environment: Environment; readonly terminal: Terminal };
type Work<T> = (approvals: Approvals) => Promise<T>;

/** Requests and approvals for the time of `work`: through the running instance, or in this process when none runs. */
export const withApprovals = <T>(place: Place, work: Work<T>): Promise<T> =>
  reach(place, { prepare: async () => {}, work, finish: async () => {} });

/**
 * The same for what is signed. The first key is made here, as a start does; where that fails, the signer says why. A goal
 * is scheduled right after its approval, so that it keeps the time zone of this moment and not that of the next start.
 */
export const withSigner = <T>(place: Place, work: Work<T>): Promise<T> =>
  reach(place, { prepare: ({ keys }) => keys.prepare(), work, finish: (app) => app.work.goals.list() });

type Errand<T> = {
  readonly prepare: (app: LocalApp) => Promise<unknown>;
  readonly work: Work<T>;
  readonly finish: (app: LocalApp) => Promise<unknown>;
};

async function reach<T>({ environment, terminal }: Place, { prepare, work, finish }: Errand<T>): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") return work(createHttpApprovals(silas.address));
  try {
    await prepare(silas.app);
    const done = await work(silas.app.approvals);
    await finish(silas.app);
    return done;
  } finally {
    await silas.app.close();
  }
}

/** The value, or the end of the command in the shared words for what was refused. */
export function orFail<T>(result: Result<T, { readonly code: string }>): T {
  if (result.ok) return result.value;
  const { what, kept, next } = wordPartsFor(result.error);
  throw new CommandFailure({
    what,
    kept,
    ...(next === "" ? {} : { next }),
    ...("cause" in result.error ? { cause: result.error.cause } : {}),
  });
}

/** The request a typed id means: all of it, or a beginning that fits one alone. Looking it up starts no time. */
export async function findRequest(approvals: Approvals, typed: string): Promise<KeptRequest> {
  const all = orFail(await approvals.all());
  const fits = all.filter(({ requestId }) =>
    typed.length < ID_PART_CHARS_MIN ? requestId === typed : requestId.startsWith(typed),
  );
  const [request] = fits;
  if (request !== undefined && fits.length === 1) return request;
  throw new CommandFailure({
    what: fits.length === 0 ? `There is no request ${typed}.` : `${typed} fits ${fits.length} requests.`,
    kept: "Nothing was decided.",
    next: "`silas inbox` and `silas approvals list` show the ids.",
  });
}
