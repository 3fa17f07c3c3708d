import type { Socket } from "node:net";
import { hostWords, type EgressRefusalReason, type EgressSums, type HostRule } from "#model";
import type { EgressGrant } from "#ports";

export type AccountLimits = { readonly requests: number; readonly bytes: number };

/** What one run does with its network, and what is told of it. */
export type Account = {
  /** Counts a request; false when there have been too many. */
  begin(): boolean;
  /** Counts what went through, either way; false when it is too much. */
  carry(bytes: number): boolean;
  /** Adds what a connection carried to the sums of its host, once it is over. */
  follow(socket: Socket, target: HostRule): void;
  refused(target: HostRule | null, reason: EgressRefusalReason): Promise<void>;
  end(): Promise<void>;
};

/** Refusals that are told one by one: a program that tries every name there is must not fill the record with them. */
const REFUSALS_TOLD = 20;

export function createAccount({ onUse }: EgressGrant, limits: AccountLimits): Account {
  const sums = new Map<string, HostRule & EgressSums>();
  const told = new Set<string>();
  let requests = 0;
  let carried = 0;
  return {
    begin: () => (requests += 1) <= limits.requests,
    carry: (bytes) => (carried += bytes) <= limits.bytes,
    follow(socket, target) {
      const name = hostWords(target);
      const before = (): EgressSums => sums.get(name) ?? { requests: 0, bytesSent: 0, bytesReceived: 0 };
      sums.set(name, { ...target, ...before(), requests: before().requests + 1 });
      socket.once("close", () => {
        const { bytesSent, bytesReceived } = before();
        sums.set(name, {
          ...target,
          ...before(),
          bytesSent: bytesSent + socket.bytesWritten,
          bytesReceived: bytesReceived + socket.bytesRead,
        });
      });
    },
    async refused(target, reason) {
      const name = `${target === null ? "" : hostWords(target)} ${reason}`;
      if (told.has(name) || told.size >= REFUSALS_TOLD) return;
      told.add(name);
      await onUse({ kind: "refused", target, reason });
    },
    async end() {
      for (const sum of sums.values()) await onUse({ kind: "ended", ...sum });
    },
  };
}
