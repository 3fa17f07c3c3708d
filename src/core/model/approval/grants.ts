import { assert, canonicalJson, LIMITS, sha256Hex, type Instant, type JsonValue, type Sha256Hex } from "#base";
import type { ApprovalScope, PendingDecision } from "../approvals.ts";
import { batchBytes, CHOOSE_MOVE, MOVE_FILES, reverseMoves } from "../batch/move-files.ts";
import type { BatchProjection } from "./batch.ts";
import { isPayloadKind, readPayload, SCOPE_OF_KIND, type ReadPayload, type ShownPayload } from "./payload.ts";
import { readProjection, type ReadProjection } from "./plan-projection.ts";
import { spawnPolicyHash, spawnsTask } from "./spawn.ts";

/** One token that an approval becomes. What is null follows from the settings. */
export type Grant = {
  readonly workItemId: string;
  readonly planHash: Sha256Hex;
  readonly scope: ApprovalScope;
  readonly usesMax: number | null;
  readonly expiresAt: Instant | null;
  /** Signed besides how it was approved. */
  readonly conditions: { readonly [name: string]: JsonValue };
  /** Whether the decision itself uses it, or somebody later does. */
  readonly use: "now" | "later";
  /** How much longer it lives than the settings say. */
  readonly laterMs: number;
  /** The canonical text it is for, where that is not part of what was asked: the way back of a batch. */
  readonly reverse: string | null;
  /** The one operation that its use is for, where that is known before it is used. */
  readonly operationId?: string;
};

type Asked = Pick<PendingDecision, "kind" | "projection">;

/** What a request asks, read from its canonical text, and the hash of that text. */
type ReadAsked = { readonly planHash: Sha256Hex } & (
  | { readonly form: "payload"; readonly read: ReadPayload }
  | { readonly form: "plan"; readonly read: ReadProjection }
);

/** Null when the text is no projection of this kind. */
export function readAsked({ kind, projection }: Asked): ReadAsked | null {
  if (isPayloadKind(kind)) {
    const read = readPayload(kind, projection);
    return read.ok ? { form: "payload", read: read.value, planHash: sha256Hex(projection) } : null;
  }
  const read = readProjection(projection);
  return read.ok ? { form: "plan", read: read.value, planHash: read.value.planHash } : null;
}

/**
 * Every token that one approval of this request becomes, its own first: a project has one for each of its tasks, and a
 * goal that stands one for the tasks it begins. They follow from the projection alone, so that a page knows what it is
 * to sign without believing anyone. Null when the request is not whole. [R1.A4]
 */
export function grantsOf(asked: Asked): readonly Grant[] | null {
  const read = readAsked(asked);
  return read === null ? null : grantsOfRead(asked.kind, read);
}

/** The same of a request that was just read. */
export function grantsOfRead(kind: Asked["kind"], { planHash, ...asked }: ReadAsked): readonly Grant[] | null {
  const plain = { ...NOW, planHash, scope: SCOPE_OF_KIND[kind], expiresAt: null, conditions: {} };
  if (asked.form === "payload") {
    const { payload, subjectId } = asked.read;
    if (isQuestion(payload)) return null;
    const own: Grant = { ...plain, ...operationOf(payload), workItemId: subjectId, usesMax: 1 };
    const undo = undoGrants(payload, own);
    return undo === null ? null : [own, ...undo];
  }
  const children = childGrants(asked.read);
  const standing = standingGrants(asked.read, planHash);
  if (children === null || standing === null) return null;
  return [{ ...plain, workItemId: asked.read.plan.id, usesMax: null }, ...standing, ...children];
}

const NOW = { use: "now", laterMs: 0, reverse: null } as const;

/** Which way is open as long as none is chosen, and there is nothing to sign. [BATCH-03] */
const isQuestion = (payload: ShownPayload): boolean =>
  payload.kind === "batch_review" && payload.action === CHOOSE_MOVE;

/** A step of a run is let through as the call it is, and answered as the question it is: its approval is used for that. [WORK-24] */
const operationOf = (payload: ShownPayload): Pick<Grant, "operationId"> =>
  "operation_id" in payload ? { operationId: payload.operation_id } : {};

/** A batch that Silas can carry out is approved together with its way back, which is bound to its own hash. [UNDO-03] */
function undoGrants(payload: ShownPayload, own: Grant): readonly Grant[] | null {
  if (payload.kind !== "batch_review" || payload.action !== MOVE_FILES) return [];
  const { kind: _kind, ...projection } = payload;
  const reverse = reverseMoves(projection as BatchProjection);
  if (!reverse.ok) return null;
  const conditions = { undo_of: own.planHash };
  const text = batchBytes(reverse.value);
  const later = { use: "later", laterMs: LIMITS.undoLaterMs, reverse: text } as const;
  return [{ ...own, ...later, planHash: sha256Hex(text), conditions }];
}

/** Exactly the tasks the project names, in its order, each bound to its own hash and used once. [PROJ-01] */
function childGrants({ plan, whole }: ReadProjection): readonly Grant[] | null {
  const wholes = (whole["children"] ?? []) as readonly (JsonValue | null)[];
  if (plan.type !== "project") return wholes.length === 0 ? [] : null;
  if (plan.tasks.length !== wholes.length) return null;
  const grants = plan.tasks.map((id, index): Grant | null => {
    const child = plan.children[index] ?? null;
    if (child === null || child.id !== id || child.type !== "task" || child.parent !== plan.id) return null;
    const planHash = sha256Hex(canonical(wholes[index] ?? null));
    return { ...NOW, workItemId: id, planHash, scope: "full_plan", usesMax: 1, expiresAt: null, conditions: {} };
  });
  return grants.every((grant) => grant !== null) ? grants : null;
}

/** The policy is computed here from what is shown; nobody hands one in. [APPR-09] */
function standingGrants({ plan, whole }: ReadProjection, planHash: Sha256Hex): readonly Grant[] | null {
  if (plan.standing === null) return [];
  if (plan.type !== "goal" || !spawnsTask(whole)) return null;
  const { max_executions: usesMax, expires_at: ends } = plan.standing;
  const conditions = { spawn_policy_hash: spawnPolicyHash(whole), ...plan.standing };
  const later = { ...NOW, use: "later", expiresAt: ends as Instant } as const;
  return [{ workItemId: plan.id, planHash, scope: "standing", usesMax, conditions, ...later }];
}

function canonical(value: unknown): string {
  const text = canonicalJson(value);
  assert(text.ok, "what was read has canonical bytes");
  return text.value;
}
