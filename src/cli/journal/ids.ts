import { oneLine } from "#base";
import type { RecordId } from "#model";
import { clip } from "../terminal/table.ts";
import { usage, CommandFailure } from "../terminal/failure.ts";

const SHORT = 6;
const FRAGMENT_MIN = 3;
const CANDIDATES_MAX = 5;

/** What lists show: the end of the id, because the beginning of ids made in the same minute is the same. */
export const shortId = (id: string): string => (isUuid(id) ? id.slice(-SHORT) : id);

export type Candidate = { readonly id: RecordId; readonly title: string };

/**
 * Finds the one record a person means by the end or the beginning of its id. A whole id is taken as it is. Row numbers
 * are not accepted: they mean another record after the next change.
 */
export async function resolveId(
  fragment: string,
  from: { readonly noun: string; readonly list: string; readonly candidates: AsyncIterable<Candidate> },
): Promise<RecordId> {
  const wanted = fragment.toLowerCase();
  if (isUuid(wanted)) return wanted as RecordId;
  if (wanted.length < FRAGMENT_MIN) {
    throw usage(
      `"${fragment}" is too short for an id.`,
      `Give at least ${FRAGMENT_MIN} characters, as \`${from.list}\` shows them.`,
    );
  }
  const found: Candidate[] = [];
  for await (const candidate of from.candidates) {
    const id = candidate.id.toLowerCase();
    if (id === wanted) return candidate.id;
    if (id.endsWith(wanted) || id.startsWith(wanted)) found.push(candidate);
  }
  const [only] = found;
  if (only === undefined) {
    throw new CommandFailure({
      what: `There is no ${from.noun} "${fragment}".`,
      next: `\`${from.list}\` shows what there is.`,
    });
  }
  if (found.length === 1) return only.id;
  const shown = found.slice(0, CANDIDATES_MAX).map(({ id, title }) => `  ${id}  ${clip(oneLine(title), 38)}`);
  const more = found.length > CANDIDATES_MAX ? [`  and ${found.length - CANDIDATES_MAX} more`] : [];
  throw usage(
    [`"${fragment}" fits ${found.length} ${from.noun}s:`, ...shown, ...more].join("\n"),
    "Give more characters of the id.",
  );
}

const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
