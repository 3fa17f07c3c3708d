import { ok, type Result } from "#base";
import {
  keptRequestToWire,
  readProjection,
  TELEGRAM_SESSION,
  unsignedTokenToWire,
  type AuditActor,
  type DecisionRow,
  type DecisionRowBody,
  type DecisionsSummary,
  type DecisionsSummaryBody,
  type KeptRequest,
  type MintedBody,
  type PreparedApproval,
  type ShownRequestBody,
  type StoreFault,
} from "#model";
import type { PlanChecked, Proposed, SessionStore, TimesOf } from "#ports";

/** What the routes of approvals answer with, in the words of the wire. */

export const requestBody = <E>(result: Result<KeptRequest, E>): Result<object, E> =>
  result.ok ? ok(keptRequestToWire(result.value)) : result;

export const checkedBody = <E>(result: Result<PlanChecked, E>): Result<object, E> =>
  result.ok ? ok({ projection: result.value.projection, plan_hash: result.value.planHash }) : result;

export const proposedBody = <E>(result: Result<Proposed, E>): Result<object, E> =>
  result.ok ? ok({ request: keptRequestToWire(result.value.request), is_new: result.value.isNew }) : result;

export const receiptBody = <E>(result: Result<string, E>): Result<object, E> =>
  result.ok ? ok({ receipt: result.value }) : result;

export function mintedBody<E>(result: Result<PreparedApproval, E>): Result<MintedBody, E> {
  if (!result.ok) return result;
  const { tokens, passkey } = result.value;
  return ok({
    tokens: tokens.map(unsignedTokenToWire),
    passkey: passkey === null ? null : { challenge: passkey.challenge, credential_ids: passkey.credentialIds },
  });
}

/** The name of the device somebody decided on; null for the terminal, for nobody, and for a session nobody knows. */
type DeviceNames = (actors: readonly (AuditActor | null)[]) => Promise<Result<NameOf, StoreFault>>;
type NameOf = (actor: AuditActor | null) => string | null;

export function createDeviceNames(sessions: Pick<SessionStore, "list">): DeviceNames {
  return async (actors) => {
    if (!actors.some((actor) => actor?.kind === "owner")) return ok(() => null);
    const listed = await sessions.list();
    if (!listed.ok) return listed;
    const nameById = new Map(listed.value.map(({ sessionId, deviceName }) => [sessionId, deviceName]));
    nameById.set(TELEGRAM_SESSION, "Telegram");
    return ok((actor) => (actor?.kind === "owner" ? (nameById.get(actor.session_id) ?? null) : null));
  };
}

type Showing = { readonly names: DeviceNames; readonly timesOf: TimesOf };

export async function shownBody<E>(
  result: Result<KeptRequest, E>,
  { names, timesOf }: Showing,
): Promise<Result<ShownRequestBody, E | StoreFault>> {
  if (!result.ok) return result;
  const request = result.value;
  const nameOf = await names([request.decidedBy]);
  if (!nameOf.ok) return nameOf;
  const schedule = await scheduleOf(request, timesOf);
  const decided_by_name = nameOf.value(request.decidedBy);
  return ok({ ...keptRequestToWire(request), decided_by_name, ...(schedule !== null && { schedule }) });
}

/** When a goal that waits for a decision would be due; null for everything else. */
async function scheduleOf({ state, kind, projection }: KeptRequest, timesOf: TimesOf) {
  const read = state === "pending" && kind === "plan_approval" ? readProjection(projection) : null;
  if (read?.ok !== true || read.value.plan.type !== "goal") return null;
  const { timeZone: time_zone, nextDue: next_due } = await timesOf(read.value.plan.schedule);
  return { time_zone, next_due };
}

export async function summaryBody(
  { pending, missed, decided, fatigue, isDense }: DecisionsSummary,
  names: DeviceNames,
): Promise<Result<DecisionsSummaryBody, StoreFault>> {
  const nameOf = await names(decided.map(({ decidedBy }) => decidedBy));
  if (!nameOf.ok) return nameOf;
  const rows = (list: readonly DecisionRow[]) => list.map((row) => rowBody(row, nameOf.value));
  return ok({
    pending: rows(pending),
    missed: rows(missed),
    decided: rows(decided),
    fatigue: { median_ms: fatigue.medianMs, decisions: fatigue.decisions, is_fast: fatigue.isFast },
    is_dense: isDense,
  });
}

function rowBody(row: DecisionRow, nameOf: NameOf): DecisionRowBody {
  const { decidedBy } = row;
  return {
    request_id: row.requestId,
    kind: row.kind,
    intent: row.intent,
    risk_level: row.riskLevel,
    created_at: row.createdAt,
    active_since: row.activeSince,
    expires_at: row.expiresAt,
    state: row.state,
    decided_at: row.decidedAt,
    decided_by: decidedBy === null ? null : { kind: decidedBy.kind, device_name: nameOf(decidedBy) },
    again_of: row.againOf,
  };
}
