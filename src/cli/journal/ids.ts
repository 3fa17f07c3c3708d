import { LIMITS, oneLine } from "#base";
import { ID_PART_CHARS_MIN, type RecordId } from "#model";
import { clip } from "../terminal/table.ts";
import { usage, CommandFailure } from "../terminal/failure.ts";

const SHORT = 6;
const TITLE_COLUMNS = 38;

/** What lists show: the end of the id, because the beginning of ids made in the same minute is the same. */
export const shortId = (id: string): string => (isUuid(id) ? id.slice(-SHORT) : id);

/** What a person calls the record, and the command that shows which there are. */
export type Naming = { readonly noun: string; readonly list: string };
type Candidate = { readonly id: RecordId; readonly title: string; readonly deleted?: boolean };

/**
 * Finds the one record a person means by the end or the beginning of its id. A whole id is taken as it is. Row numbers
 * are not accepted: they mean another record after the next change.
 */
export async function resolveId(
  fragment: string,
  from: Naming & { readonly find: (idPart: string) => Promise<readonly Candidate[]> },
): Promise<RecordId> {
  const lower = fragment.toLowerCase();
  if (isUuid(lower)) return lower as RecordId;
  if (fragment.length < ID_PART_CHARS_MIN) throw tooShort(fragment, from);
  if (!/^[A-Za-z0-9._:@-]+$/.test(fragment) || fragment.length > LIMITS.idChars) throw unknown(fragment, from);
  // Ids are case-sensitive, but the ones Silas makes are lower-case and may be typed or pasted otherwise.
  const asTyped = await from.find(fragment);
  const found = asTyped.length === 0 && lower !== fragment ? await from.find(lower) : asTyped;
  return choose(fragment, { ...from, found });
}

/** `resolveId` among records that are loaded already. */
export function resolveAmong(
  fragment: string,
  from: Naming & { readonly candidates: readonly Candidate[] },
): Promise<RecordId> {
  const fits = (idPart: string) => from.candidates.filter(({ id }) => id.endsWith(idPart) || id.startsWith(idPart));
  return resolveId(fragment, { ...from, find: async (idPart) => fits(idPart).slice(0, LIMITS.foundRows) });
}

function choose(fragment: string, from: Naming & { readonly found: readonly Candidate[] }): RecordId {
  const { noun, found } = from;
  const only = found.length === 1 ? found[0] : found.find(({ id }) => id === fragment);
  if (only?.deleted === true) {
    throw new CommandFailure({
      what: `The ${noun} "${fragment}" was deleted.`,
      next: "`silas undo --list` shows what can be brought back.",
    });
  }
  if (only !== undefined) return only.id;
  if (found.length === 0) throw unknown(fragment, from);
  const shown = found.map(({ id, title }) => `  ${id}  ${clip(oneLine(title), TITLE_COLUMNS)}`);
  const count = `${found.length}${found.length < LIMITS.foundRows ? "" : " or more"}`;
  throw usage([`"${fragment}" fits ${count} ${noun}s:`, ...shown].join("\n"), "Give more characters of the id.");
}

const unknown = (fragment: string, { noun, list }: Naming): CommandFailure =>
  new CommandFailure({ what: `There is no ${noun} "${fragment}".`, next: `\`${list}\` shows what there is.` });

const tooShort = (fragment: string, { list }: Naming): CommandFailure =>
  usage(
    `"${fragment}" is too short for an id.`,
    `Give at least ${ID_PART_CHARS_MIN} characters, as \`${list}\` shows them.`,
  );

const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
