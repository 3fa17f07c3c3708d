import { assert } from "#base";
import { TAINTS, type Source, type Taint } from "#model";

/** The least trusted of several; nothing is made of nothing. [TAINT-06] */
export function joinTaints(first: Taint, ...others: readonly Taint[]): Taint {
  return TAINTS[Math.max(...[first, ...others].map(rankOf))] as Taint;
}

/**
 * INVARIANT: a word this version does not know ranks below every other, so that nothing rises by being misspelt.
 */
function rankOf(taint: Taint): number {
  const rank = TAINTS.indexOf(taint);
  return rank === -1 ? TAINTS.length - 1 : rank;
}

/** A thing with a known origin. */
export type Tainted = { readonly itemId: string; readonly taint: Taint };

/**
 * What a new thing made of others is trusted as: the least of them all. There is no other way to make one, and no
 * argument that raises it; only an endorsement of the owner does, for one item. [TAINT-05] [TAINT-06]
 */
export function deriveTaint(sources: readonly Pick<Tainted, "taint">[]): Taint {
  const [first, ...others] = sources;
  assert(first !== undefined, "TAINT-06 what is made was made of something");
  return joinTaints(first.taint, ...others.map(({ taint }) => taint));
}

/** How far the words of a message may be trusted together with everything they refer to. */
export const taintWithSources = (taint: Taint, sources: readonly Pick<Source, "taint">[]): Taint =>
  deriveTaint([{ taint }, ...sources]);

/** A signed decision of the owner about exactly one item, as the approval store keeps it. */
type Endorsement = { readonly itemId: string; readonly tokenId: string };

/** The only way up: the owner's own signature about this very item. [TAINT-08] */
export function endorse<T extends Tainted>(item: T, endorsement: Endorsement): T {
  return endorsement.itemId === item.itemId ? { ...item, taint: "owner" } : item;
}
