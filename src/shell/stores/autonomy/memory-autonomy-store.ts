import { assert, ok } from "#base";
import { LIMIT_KEYS, type AppliedLimit, type AuditEntry, type KeptRequest, type LimitKey } from "#model";
import type { ApprovalStore, AuditLog, AutonomyStore } from "#ports";
import { familyIn } from "./autonomy-store.ts";
import { batchActions, repairActions, type BatchOutcome } from "./decided-actions.ts";
import { provenLimit } from "./limit-drafts.ts";

type Behind = { readonly audit: AuditLog; readonly approvals: ApprovalStore };

/** The in-memory twin of the autonomy store: the same answers from an audit log and requests in memory. */
export function createMemoryAutonomyStore(behind: Behind): AutonomyStore {
  return {
    decided: async ({ family, most }) => {
      const event = family === "move_files" ? "batch_outcome" : "goal_asked";
      const entries = (await entriesOf(behind, event)).slice(0, most);
      const found = await Promise.all(
        entries.map(async (entry) => ({ entry, request: await requestOf(behind, entry) })),
      );
      const about = found.flatMap(({ entry, request }) => (request === null ? [] : [{ entry, request }]));
      if (family === "goal_repairs") return ok(repairActions(about.map(({ request }) => request)));
      return ok(batchActions(await Promise.all(about.map((one) => outcomeOf(behind, one)))));
    },
    applied: async () => {
      const entries = await entriesOf(behind, "limit_changed");
      const newest = LIMIT_KEYS.flatMap((key) => entries.find(({ data }) => data["key"] === key) ?? []);
      return ok(await Promise.all(newest.map((entry) => limitOf(behind, entry))));
    },
    asked: async (most) => {
      const all = await listed(behind);
      const about = all.filter(({ kind }) => kind === "autonomy_threshold").toReversed();
      return ok(
        about.slice(0, most).map(({ requestId, projection, state, createdAt, decidedAt, proposedBy }) => ({
          requestId,
          family: familyIn(projection),
          state,
          createdAt,
          endedAt: decidedAt,
          proposedBy: proposedBy.kind,
        })),
      );
    },
  };
}

const EVERYTHING = { beforeSeq: null, from: null, to: null, limit: 10_000 } as const;

async function entriesOf({ audit }: Behind, event: string): Promise<readonly AuditEntry[]> {
  const entries = await audit.entries(EVERYTHING);
  assert(entries.ok, "memory holds its entries");
  return entries.value.filter((entry) => entry.event === event);
}

async function listed({ approvals }: Behind): Promise<readonly KeptRequest[]> {
  const all = await approvals.list(["pending", "approved", "declined", "expired"]);
  assert(all.ok, "memory holds its requests");
  return all.value;
}

async function requestOf({ approvals }: Behind, { data }: AuditEntry): Promise<KeptRequest | null> {
  const found = await approvals.find(String(data["request_id"]));
  return found.ok ? found.value : null;
}

type About = { readonly entry: AuditEntry; readonly request: KeptRequest };

async function outcomeOf({ approvals }: Behind, { entry, request }: About): Promise<BatchOutcome> {
  const before = request.againOf === null ? null : await approvals.find(request.againOf);
  return {
    requestId: request.requestId,
    outcome: String(entry.data["outcome"]),
    at: entry.at,
    actor: entry.actor.kind,
    state: request.state,
    before: before?.ok ? (before.value?.state ?? null) : null,
    action: (JSON.parse(request.projection) as { readonly action?: string }).action ?? null,
    batchId: (JSON.parse(request.markdown) as { readonly batch_id?: string }).batch_id ?? null,
  };
}

async function limitOf(behind: Behind, entry: AuditEntry): Promise<AppliedLimit> {
  const text = (name: string): string => String(entry.data[name]);
  const token = await behind.approvals.findApproval(text("token_id"));
  const said = {
    key: text("key") as LimitKey,
    from: text("from"),
    to: text("to"),
    configured: text("configured"),
    requestId: text("request_id"),
    tokenId: text("token_id"),
    at: entry.at,
  };
  const kept = token.ok ? (token.value?.token ?? null) : null;
  return provenLimit(said, { request: await requestOf(behind, entry), token: kept });
}
