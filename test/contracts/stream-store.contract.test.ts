import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { ApprovedGoal, AuditDraft, StreamGoal } from "#model";
import type { AuditLog, StreamStore } from "#ports";
import type { RuntimeStores } from "#stores";
import { requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

type Approving = { readonly agent?: string; readonly minute: number };
type Opened = {
  readonly streams: StreamStore;
  readonly audit: AuditLog;
  /** Approves a goal in this minute, for this lane. */
  approve(name: string, approving: Approving): Promise<void>;
};

const projectionOf = (name: string, { agent = "stream", minute }: Approving): string =>
  JSON.stringify({ id: name, type: "goal", agent, minute });
const approvalOf = (name: string, approving: Approving): ApprovedGoal => ({
  goalId: name,
  requestId: `request-${name}-${approving.minute}`,
  tokenId: `tok_${name}-${approving.minute}`,
  runId: `run-${name}-${approving.minute}`,
  planHash: sha256Hex(projectionOf(name, approving)),
});

function withGoals({ streams, audit, approvals }: RuntimeStores): Opened {
  return {
    streams,
    audit,
    approve: async (name, approving) => {
      const { minute } = approving;
      const { requestId, planHash, runId } = approvalOf(name, approving);
      const projection = projectionOf(name, approving);
      const request = { ...requestFor(name, minute), requestId, planHash, projection };
      must(await approvals.propose(request));
      const token = { ...tokenFor(`${name}-${minute}`), planHash };
      const spending = spendingFor(token, { lineage: runId, request });
      must(await approvals.spend({ ...spending, workItemId: name, at: at(minute) }));
    },
  };
}

const goalNamed = (name: string): StreamGoal => ({
  goalId: name,
  requestId: `request-${name}`,
  planHash: sha256Hex(name),
});
const wireOf = ({ goalId, requestId, planHash }: StreamGoal) => ({
  goal_id: goalId,
  request_id: requestId,
  plan_hash: planHash,
});
const said = { at: at(5), actor: { kind: "system" } } as const;
const loaded = (name: string): AuditDraft => ({ event: "stream_loaded", data: wireOf(goalNamed(name)), ...said });

describe.each([
  ["in memory", async () => withGoals(await openMemory())],
  ["on disk", async () => withGoals(await openFile())],
] as const)("the stream store (%s)", (_name, open) => {
  test("goals of the conversation come by their newest approval, the last one first; other lanes do not", async () => {
    const { streams, approve } = await open();
    expect(must(await streams.approved())).toEqual([]);
    await approve("goal-b", { minute: 1 });
    await approve("goal-a", { minute: 2 });
    await approve("goal-c", { minute: 3, agent: "ephemeral" });
    expect(must(await streams.approved())).toEqual([
      approvalOf("goal-a", { minute: 2 }),
      approvalOf("goal-b", { minute: 1 }),
    ]);
    await approve("goal-b", { minute: 4 });
    await approve("goal-a", { minute: 5, agent: "ephemeral" });
    expect(must(await streams.approved())).toEqual([approvalOf("goal-b", { minute: 4 })]);
  });

  test("what was told last is known with its place, and nobody tells it over what was told since", async () => {
    const { streams, audit } = await open();
    expect(must(await streams.told())).toBeNull();
    must(await streams.tell({ after: 0, draft: loaded("goal-a") }));
    const first = must(await streams.told());
    expect(first).toMatchObject({ state: "in_force", goal: goalNamed("goal-a"), reason: null });
    // Somebody who has not heard of it yet.
    must(await streams.tell({ after: 0, draft: loaded("goal-b") }));
    expect(must(await streams.told())).toEqual(first);
    const replaced = { replaced_goal_id: "goal-a", replaced_request_id: "request-goal-a" };
    const data = wireOf(goalNamed("goal-b"));
    const next = async (draft: AuditDraft) => {
      must(await streams.tell({ after: must(await streams.told())?.seq ?? 0, draft }));
      return must(await streams.told());
    };
    expect(await next({ event: "stream_replaced", data: { ...data, ...replaced }, ...said })).toMatchObject({
      state: "in_force",
      goal: goalNamed("goal-b"),
    });
    expect(
      await next({ event: "stream_unverified", data: { ...data, reason: "plan_unreadable" }, ...said }),
    ).toMatchObject({ state: "unverified", reason: "plan_unreadable" });
    expect(await next({ event: "stream_taken_out", data: { ...data, reason: "paused" }, ...said })).toMatchObject({
      state: "out",
      goal: goalNamed("goal-b"),
      reason: "paused",
    });
    const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 50 }));
    expect(entries.map(({ event }) => event).filter((event) => event.startsWith("stream_"))).toEqual([
      "stream_taken_out",
      "stream_unverified",
      "stream_replaced",
      "stream_loaded",
    ]);
  });
});
