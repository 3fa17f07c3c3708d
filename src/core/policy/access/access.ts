import { msOfInstant, type Instant } from "#base";
import {
  OWNER_LEVEL,
  PUBLIC_LEVEL,
  type Access,
  type AccessLadder,
  type AccessState,
  type CustomerContext,
  type Gate,
  type GateResult,
  type Taint,
  type WorkItem,
} from "#model";

/** What a connection is before anything is known about it. [ACC-02] */
export const NEW_ACCESS: AccessState = { level: PUBLIC_LEVEL, verified: [], customer: null, grantedAt: null };

/**
 * The levels of a goal by rank, which is the order they were written in. Names that are whole numbers lose that order
 * on the way through JSON, so such levels are never entered. [ACC-08]
 */
export function ladderOf(levels: WorkItem["accessLevels"]): AccessLadder {
  return Object.entries(levels)
    .filter(([name]) => !/^\d+$/.test(name) && name !== OWNER_LEVEL)
    .map(([name, level]) => ({ name, level }));
}

/**
 * The owner's own connection, or words with the owner's valid signature: both are above every goal's levels. Nothing
 * else is. [ACC-04] [ACC-05]
 */
export const hasOwnerAccess = (sender: {
  readonly connectionId: string;
  readonly ownerId: string;
  readonly taint: Taint;
}): boolean => sender.connectionId === sender.ownerId || sender.taint === "owner";

type AccessFacts = { readonly ladder: AccessLadder; readonly at: Instant };
type Passed = AccessFacts & { readonly gateName: string };
type Climbed = {
  readonly state: AccessState;
  /** Set when a level was entered: it is recorded, and the customer's record is loaded. [ACC-10] */
  readonly entered: { readonly from: string; readonly to: string } | null;
};

/**
 * What a passed gate changes. Up only, one level at most is entered: the highest whose gates have all been passed. A
 * level that asks for nothing is nobody's reward and is never entered this way. [ACC-08] [ACC-09]
 */
export function passGate(before: AccessState, { gateName, ladder, at }: Passed): Climbed {
  const current = expireAccess(before, { ladder, at });
  const verified = current.verified.includes(gateName) ? current.verified : [...current.verified, gateName];
  const reached = ladder.findLast(
    ({ name, level }) =>
      name !== PUBLIC_LEVEL && level.requires.length > 0 && level.requires.every((gate) => verified.includes(gate)),
  );
  const rankOf = (level: string): number => ladder.findIndex(({ name }) => name === level);
  if (reached === undefined || (current.level !== PUBLIC_LEVEL && rankOf(reached.name) <= rankOf(current.level))) {
    return { state: { ...current, verified }, entered: null };
  }
  return {
    state: { ...current, verified, level: reached.name, grantedAt: at },
    entered: { from: current.level, to: reached.name },
  };
}

/** The loaded record of a customer, for a connection that has shown who it is. [ACC-13] */
export function withCustomer(state: AccessState, customer: CustomerContext | null): AccessState {
  return state.level === PUBLIC_LEVEL ? state : { ...state, customer };
}

/**
 * Past its time a level is over, and with it everything that led to it: the next gate begins from nothing. A level that
 * the goal no longer has is over too. [ACC-11] [ACC-12]
 */
export function expireAccess(state: AccessState, { ladder, at }: AccessFacts): AccessState {
  if (state.level === PUBLIC_LEVEL) return state;
  const held = ladder.find(({ name }) => name === state.level);
  if (held === undefined || state.grantedAt === null) return NEW_ACCESS;
  const { expiresAfter } = held.level;
  const heldMs = msOfInstant(at) - msOfInstant(state.grantedAt);
  // A clock that was set back gives no time: whoever seems to hold a level since tomorrow starts over.
  const isOver = heldMs < 0 || (expiresAfter !== null && heldMs > expiresAfter * 1000);
  return isOver ? NEW_ACCESS : state;
}

/** What a connection that is not the owner's may do now. Expiry comes first, in the same call. [ACC-11] */
export function allowedAccess(before: AccessState, facts: AccessFacts): { state: AccessState; access: Access } {
  const state = expireAccess(before, facts);
  const held = facts.ladder.find(({ name }) => name === state.level);
  return { state, access: { level: state.level, tools: held?.level.tools ?? [] } };
}

/** Gates of this message that may open a level: checks of who somebody is, and only those that passed. [ACC-17] */
export function openingGates(gates: readonly Gate[], results: readonly GateResult[]): readonly string[] {
  const checks = gates.filter(({ on, type }) => on === "every_user_message" && type === "custom_check");
  return checks
    .map(({ name }) => name)
    .filter((name) => {
      const own = results.filter(({ gateName }) => gateName === name);
      return own.length > 0 && own.every(({ action }) => action === "continue");
    });
}
