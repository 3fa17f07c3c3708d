import { LIMITS, type Instant } from "#base";
import { OWNER_LEVEL, type Access, type AccessLadder, type AccessState, type Stream, type Taint } from "#model";
import { allowedAccess, hasOwnerAccess, ladderOf, NEW_ACCESS, passGate, withCustomer } from "#policy";
import type { MessagesDeps } from "./deps.ts";

export interface Connections {
  /** What the sender of a message may do now. The owner's access has no level and no end. */
  accessOf(sender: Asking): Access;
  /** Gates of a message that passed, from a connection that is not the owner's. */
  passed(gates: PassedGates): Promise<void>;
  /** What is in force now. When that is another approval, everyone but the owner starts over. [ACC-07] */
  follow(stream: Stream): void;
}
type Asking = { readonly connectionId: string; readonly taint: Taint; readonly at: Instant };
type PassedGates = Asking & {
  readonly gateNames: readonly string[];
  /** Who a gate found the sender to be. */
  readonly customerId: string | null;
};

/**
 * What each connection has reached. A connection has a state of its own from its first message on; nothing is shared
 * between two, and nothing but a passed gate, time or another goal changes one. [ACC-03] [ACC-16]
 */
export function createConnections(
  deps: Pick<MessagesDeps, "audit" | "customers"> & { readonly settings: { readonly ownerId: string } },
): Connections {
  const states = new Map<string, AccessState>();
  // Only a goal that is in force has levels; without one everybody is at the first, which has no tools.
  let ladder: AccessLadder = [];
  let followed: string | null = null;
  const { ownerId } = deps.settings;
  const keep = (connectionId: string, state: AccessState): void => {
    // Kept in the order of use, so that the one that was quiet longest goes first.
    states.delete(connectionId);
    states.set(connectionId, state);
    const [oldest] = states.keys();
    if (states.size > LIMITS.connectionsKnown && oldest !== undefined) states.delete(oldest);
  };
  return {
    accessOf({ connectionId, taint, at }) {
      // Tools of the owner come with the tool registry; no goal narrows them.
      if (hasOwnerAccess({ connectionId, ownerId, taint })) return { level: OWNER_LEVEL, tools: [] };
      const { state, access } = allowedAccess(states.get(connectionId) ?? NEW_ACCESS, { ladder, at });
      keep(connectionId, state);
      return access;
    },
    async passed({ connectionId, taint, at, gateNames, customerId }) {
      if (hasOwnerAccess({ connectionId, ownerId, taint })) return;
      for (const gateName of gateNames) {
        const { state, entered } = passGate(states.get(connectionId) ?? NEW_ACCESS, { gateName, ladder, at });
        keep(connectionId, state);
        if (entered === null) continue;
        const customer = customerId === null ? null : await deps.customers.load(customerId);
        keep(connectionId, withCustomer(state, customer));
        await deps.audit.append({
          event: "access_changed",
          data: { connection_id: connectionId, level_before: entered.from, level: entered.to, customer_id: customerId },
          at,
          actor: { kind: "system" },
        });
      }
    },
    follow(stream) {
      const next = stream.kind === "in_force" ? stream.goal.requestId : null;
      if (next === followed) return;
      followed = next;
      ladder = stream.kind === "in_force" ? ladderOf(stream.item.accessLevels) : [];
      states.clear();
    },
  };
}
