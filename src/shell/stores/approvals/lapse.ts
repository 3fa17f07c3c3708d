import type { Instant } from "#base";
import type { ApprovalLapse, LedgerEntry, RunRecord } from "#model";
import type { KeyRecord, RunChange } from "#ports";
import { keyStanding } from "../keys/key-registry.ts";
import type { Sqlite } from "../sqlite.ts";

/**
 * Whether the approval of a run still holds, read inside the transaction that records a step, a call of a model or the
 * checks as begun. Signature, plan and use were verified at entry; key and time are what changes while a run goes on.
 */

/** An approval as far as time and revocation are concerned. */
type ApprovalFacts = {
  readonly key: KeyRecord;
  readonly expiresAt: Instant;
};

type Moment = {
  readonly at: Instant;
  /** Decisions that the owner signed for the same run: each of them lets it go on until that decision expires. */
  readonly decisions: () => readonly (ApprovalFacts | null)[];
};

const KEY_LAPSES = { revoked: "approval_key_revoked", unknown: "approval_key_unknown" } as const;

/** Null when it holds. */
export function lapseOf(own: ApprovalFacts | null, { at, decisions }: Moment): ApprovalLapse | null {
  if (own === null) return "approval_missing";
  if (own.key !== "enrolled") return KEY_LAPSES[own.key];
  if (own.expiresAt === "") return "approval_unreadable";
  // The use was granted while the approval was valid, so a clock that is set back later ends no run.
  if (at < own.expiresAt) return null;
  const isHeld = decisions().some((one) => one !== null && one.key === "enrolled" && at < one.expiresAt);
  return isHeld ? null : "approval_expired";
}

/** A step or a call of a model that is not over with the same change, the checks, or a question to the planner. */
export function beginsWork({ run, entries, consult }: Pick<RunChange, "run" | "entries" | "consult">): boolean {
  const isOver = ({ executionId }: LedgerEntry): boolean =>
    entries.some((entry) => entry.executionId === executionId && entry.state === "ended");
  return (
    run.status === "verifying" ||
    consult?.kind === "advice" ||
    entries.some((entry) => entry.state === "started" && !isOver(entry))
  );
}

type Asked = {
  readonly run: RunRecord;
  readonly at: Instant;
  /** The steps that begin, perhaps on decisions of their own. */
  readonly entries?: readonly LedgerEntry[];
};

export function lapseWithin(db: Sqlite, { run, at, entries = [] }: Asked): ApprovalLapse | null {
  const decisions = (): readonly (ApprovalFacts | null)[] => [
    ...decidedIn(entries).map((tokenId) => factsOf(db, tokenId)),
    ...decisionsOf(db, run),
  ];
  return lapseOf(factsOf(db, run.tokenId), { at, decisions });
}

/** The approvals that steps begin on besides that of their run. */
const decidedIn = (entries: readonly LedgerEntry[]): readonly string[] =>
  entries.flatMap(({ decision }) => (decision === undefined ? [] : [decision.tokenId]));

type TokenFacts = { readonly key_id: string; readonly expires_at: string | null };

function factsOf(db: Sqlite, tokenId: string): ApprovalFacts | null {
  const row = db.get<TokenFacts>(
    `SELECT key_id, CASE WHEN json_valid(token) THEN json_extract(token, '$.expires_at') END AS expires_at
     FROM approval_tokens WHERE token_id = :tokenId`,
    { tokenId },
  );
  if (row === null) return null;
  const { key_id: keyId, expires_at: expiresAt } = row;
  return { key: keyStanding(db, keyId), expiresAt: (expiresAt ?? "") as Instant };
}

/**
 * Those that steps of it began on, and the one that was given and has not been used by a step yet. A project and its tasks
 * were approved together, and whatever is decided about one of them lets all of them go on.
 */
const DECISIONS_SQL = `
  SELECT CASE WHEN json_valid(entry) THEN json_extract(entry, '$.decision.token_id') END AS token_id
  FROM work_ledger WHERE run_id = :runId OR run_id IN (
    SELECT r.run_id FROM decision_tokens own
    JOIN request_headings d ON d.request_id = own.request_id AND d.type = 'project'
    JOIN decision_tokens g ON g.request_id = own.request_id
    JOIN work_runs r ON r.token_id = g.token_id
    WHERE own.token_id = :tokenId)
  UNION SELECT token_id FROM pending_decisions WHERE request_id = :requestId AND state = 'approved'`;

function decisionsOf(db: Sqlite, { runId, tokenId: own, question }: RunRecord): readonly (ApprovalFacts | null)[] {
  const requestId = question?.requestId ?? "";
  const rows = db.all<{ readonly token_id: string | null }>(DECISIONS_SQL, { runId, tokenId: own, requestId });
  return rows.map(({ token_id: tokenId }) => (tokenId === null ? null : factsOf(db, tokenId)));
}

/** Until when decisions let a run go on whose own approval has expired; null when there are none. */
export function heldUntil(db: Sqlite, run: RunRecord): Instant | null {
  const ends = decisionsOf(db, run).flatMap((one) => (one?.key === "enrolled" ? [one.expiresAt] : []));
  return ends.toSorted().at(-1) ?? null;
}
