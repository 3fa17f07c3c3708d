import { oneLine } from "#base";

/** What a sentence calls a piece of work. */
export type NameOf = (workItemId: string) => string;

/** What a gate is looked up by whose name is prose, and so only its digest is in the chain. No work has such an id. */
export const gateKey = (ref: string): string => `gate ${ref}`;

/** Its id, which is all that the audit chain has. */
export const byId: NameOf = (workItemId) => workItemId;

/**
 * Its title where one is known, in quotes, so that it cannot be taken for the words around it: a quote inside of it does
 * not end it, and nothing in it acts.
 */
export const byTitle =
  (titles: ReadonlyMap<string, string>): NameOf =>
  (workItemId) => {
    const title = titles.get(workItemId);
    return title === undefined ? workItemId : `"${oneLine(title).replaceAll('"', "'")}"`;
  };
