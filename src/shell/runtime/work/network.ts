import {
  hostWords,
  parseHostRule,
  type AuditActor,
  type AuditDraft,
  type EgressSums,
  type EgressUse,
  type HostRule,
  type NetworkUse,
  type WorkItem,
} from "#model";
import type { AuditLog, Clock, EgressGrant, GrantedRun, Log, RunNetworkStore } from "#ports";
import { callIn, type RunEffect } from "#work";

/** The network of runs: what an approved plan names, with every use of it in the audit chain. */
export type RunNetwork = {
  /** What this step may reach, as its gates left it; null for nothing. */
  forStep(plan: RunOfPlan, step: StepToRun): EgressGrant | null;
  /** What the check at a place may reach, if it asks for it. */
  forChecks(plan: RunOfPlan): (index: number) => EgressGrant;
};

/** Which run, and what of its plan says where it may go. */
type RunOfPlan = {
  readonly grant: Pick<GrantedRun, "runId">;
  readonly item: Pick<WorkItem, "id" | "hosts" | "steps">;
};
type StepToRun = Pick<Extract<RunEffect, { readonly kind: "run_step" }>, "stepIndex" | "envelope">;
type NetworkDeps = {
  readonly audit: Pick<AuditLog, "append">;
  readonly store: Pick<RunNetworkStore, "addNetworkUse">;
  readonly clock: Clock;
  readonly log: Log;
};

export function createRunNetwork({ audit, store, clock, log }: NetworkDeps): RunNetwork {
  const grantFor = (user: NetworkUser): EgressGrant => ({
    hosts: user.plan.item.hosts.map((host) => parseHostRule(host)).filter((rule) => rule !== null),
    async onUse(use) {
      const draft = { ...eventOf(user, use), at: clock.now(), actor: SYSTEM } as AuditDraft;
      const { runId } = user.plan.grant;
      const kept = await (use.kind === "ended"
        ? store.addNetworkUse({ runId, use: usedAt(use), draft })
        : audit.append(draft));
      if (!kept.ok) log.error("egress_unrecorded", { run_id: user.plan.grant.runId, ...kept.error });
      return kept.ok;
    },
  });
  return {
    forStep(plan, { stepIndex: index, envelope }) {
      const grant = grantFor({ plan, part: "step", index });
      const { search } = callIn(envelope);
      // A search has the network of its query alone.
      if (search !== undefined) return { hosts: [], search, onUse: grant.onUse };
      return envelope.sandboxConfig.networkAccess ? grant : null;
    },
    forChecks: (plan) => (index) => grantFor({ plan, part: "check", index }),
  };
}

const usedAt = ({ host, port, requests, bytesSent, bytesReceived }: HostRule & EgressSums): NetworkUse => ({
  host: hostWords({ host, port }),
  requests,
  bytesSent,
  bytesReceived,
});

type NetworkUser = { readonly plan: RunOfPlan; readonly part: "step" | "check"; readonly index: number };

const SYSTEM: AuditActor = { kind: "system" };

function eventOf({ plan, part, index }: NetworkUser, use: EgressUse): Pick<AuditDraft, "event" | "data"> {
  const whose = { run_id: plan.grant.runId, work_item_id: plan.item.id, part, index };
  switch (use.kind) {
    case "opened":
      return { event: "egress_opened", data: { ...whose, host: hostWords(use) } };
    case "refused":
      return { event: "egress_refused", data: { ...whose, host: named(use.target), reason: use.reason } };
    case "ended": {
      const { requests, bytesSent: bytes_sent, bytesReceived: bytes_received } = use;
      return { event: "egress_ended", data: { ...whose, host: hostWords(use), requests, bytes_sent, bytes_received } };
    }
  }
}

const named = (target: HostRule | null): string | null => (target === null ? null : hostWords(target));
