import { assert, err, ok, type Instant, type Result } from "#base";
import type { RunRecord, StoreFault } from "#model";
import { judgeCheck, type Presented } from "#policy";
import type { KeyRegistry, WorkStore } from "#ports";
import { readToken, signatureFact } from "../approvals/tokens.ts";
import { loadKnownPlan, type LoadedPlan, type PlanDeps } from "./load-plan.ts";

export type GateDeps = PlanDeps & { readonly registry: KeyRegistry };

declare const clearance: unique symbol;
/**
 * A run whose approval holds. INVARIANT: only `checkEntry` makes one, and no sandbox is opened without one: there is no
 * other route from a plan to a program. [INV-01]
 */
export type ClearedRun = { readonly [clearance]: true; readonly runId: string };
const made = new WeakSet<object>();

type Entry = Pick<LoadedPlan, "grant" | "contentHash" | "read"> &
  Pick<Presented, "heldUntil"> & {
    /** For what was granted to last: the moment at which its approval had to hold. Left out, that is now. */
    readonly since?: Instant;
  };

/** The first reason why the approval does not hold, as a code. */
export type EntryRefusal = { readonly code: string };

/**
 * Step 0 of every run. Everything is read again: the plan from the stored request, the token and its uses from their
 * rows, the key from the registry; a text of a plan that is still the same, to the letter, is not parsed again. It spends
 * nothing; the use was spent when the attempt was granted. [WORK-13, WORK-14]
 */
export async function checkEntry(
  deps: GateDeps,
  { grant, contentHash, read, since, heldUntil = null }: Entry,
): Promise<Result<ClearedRun, EntryRefusal | StoreFault>> {
  const fresh = await loadKnownPlan(deps, { grant, ...(read && { read }) });
  if (!fresh.ok) return fresh;
  if (fresh.value.contentHash !== contentHash) return err({ code: "approval_hash_differs" });
  const kept = await deps.approvals.findApproval(grant.tokenId);
  if (!kept.ok) return kept;
  if (kept.value === null) return err({ code: "approval_missing" });
  const token = readToken(kept.value.token);
  if (token === null) return err({ code: "approval_unreadable" });
  const signature = await signatureFact(deps.registry, token);
  if (!signature.ok) return signature;
  const judged = judgeCheck({
    token,
    signature: signature.value,
    item: fresh.value.madeBy?.item ?? { workItemId: fresh.value.item.id, contentHash },
    scope: fresh.value.scope,
    spawn: fresh.value.madeBy?.spawn ?? null,
    at: since ?? deps.clock.now(),
    heldUntil,
    uses: kept.value.uses,
    lineage: grant.runId,
    isVoid: kept.value.isVoid,
  });
  if (!judged.ok) return judged;
  const cleared = { runId: grant.runId } as ClearedRun;
  made.add(cleared);
  return ok(cleared);
}

/**
 * The same for what begins or goes on. A run that has ended is over, whatever its row says by now: its one use would
 * otherwise be used again by setting the row back. [INV-01]
 */
export async function checkBegin(
  deps: GateDeps & { readonly store: Pick<WorkStore, "hasEnded" | "heldUntil"> },
  { run, ...entry }: Entry & { readonly run: RunRecord },
): Promise<Result<ClearedRun, EntryRefusal | StoreFault>> {
  const ended = await deps.store.hasEnded(entry.grant.runId);
  if (!ended.ok) return ended;
  if (ended.value) return err({ code: "run_over" });
  const heldUntil = await deps.store.heldUntil(run);
  return heldUntil.ok ? checkEntry(deps, { ...entry, heldUntil: heldUntil.value }) : heldUntil;
}

export function assertCleared(run: ClearedRun): void {
  assert(made.has(run), "INV-01 nothing runs without a verified approval");
}
