import { err, LIMITS, ok, type Result } from "#base";
import { suggestionSchema, suggestionToWire, type Suggestion, type SuggestionRefusal } from "#model";
import type { HandledSuggestion, RecentSuggestions, SaidSuggestion, SuggestionStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable, whole, wholeJson } from "../store-fault.ts";
import { answeredAs, answeredDraft, expiredAs, expiredDraft, madeDraft, skippedDraft } from "./drafts.ts";

type Parts = { readonly db: Sqlite; readonly recordAct: RecordAct };
type SuggestionRow = { readonly state: string; readonly suggestion: string };

/** Suggestions on a migrated `silas.db`. Every change is one transaction with its audit entry. */
export function createSuggestionStore(parts: Parts): SuggestionStore {
  const { db } = parts;
  const changing = <T, E>(change: () => Result<T, E>) => guarded(() => db.transaction(change));
  return {
    recent: async (asked) => guardedValue(() => recent(db, asked)),
    find: async (suggestionId) => guardedValue(() => find(db, suggestionId)),
    saying: async (said) => guardedValue(() => saying(db, said)),
    add: async (suggestions) => changing(() => ok(suggestions.filter((suggestion) => insert(parts, suggestion)))),
    handle: async (handled) => changing(() => handle(parts, handled)),
    expire: async ({ suggestionIds, at }) =>
      changing(() => {
        for (const suggestionId of suggestionIds) {
          const kept = find(db, suggestionId);
          if (kept?.state !== "pending") continue;
          update(db, expiredAs(kept, at));
          parts.recordAct(expiredDraft(kept, at));
        }
        return ok();
      }),
    noteSkipped: (skipped, at) => parts.recordAct(skippedDraft(skipped, at)),
  };
}

function recent(db: Sqlite, { scopeId, since }: RecentSuggestions): readonly Suggestion[] {
  const rows = db.all<SuggestionRow>(
    `SELECT state, suggestion FROM suggestions
     WHERE scope_id = :scopeId AND (state IN ('pending', 'dismissed') OR created_at >= :since OR handled_at >= :since)
     ORDER BY created_at DESC, suggestion_id DESC LIMIT :limit`,
    { scopeId, since, limit: LIMITS.suggestionsRead },
  );
  return readable(rows, suggestionOf);
}

function saying(db: Sqlite, { scopeId, words }: SaidSuggestion): Suggestion | null {
  const row = db.get<SuggestionRow>(
    `SELECT state, suggestion FROM suggestions
     WHERE scope_id = :scopeId AND CASE WHEN json_valid(suggestion) THEN json_extract(suggestion, '$.rationale') END = :words
     ORDER BY created_at DESC, suggestion_id DESC LIMIT 1`,
    { scopeId, words },
  );
  return row === null ? null : suggestionOf(row);
}

function find(db: Sqlite, suggestionId: string): Suggestion | null {
  const row = db.get<SuggestionRow>("SELECT state, suggestion FROM suggestions WHERE suggestion_id = :suggestionId", {
    suggestionId,
  });
  return row === null ? null : suggestionOf(row);
}

const KEPT = "SUGG-05 a kept suggestion is whole";

export function suggestionOf({ state, suggestion }: SuggestionRow): Suggestion {
  const read = whole(suggestionSchema.safeParse(wholeJson(suggestion, KEPT)).data, KEPT);
  return whole(read.state === state ? read : null, KEPT);
}

/** Whether it is there now; of one thing only one waits. */
function insert({ db, recordAct }: Parts, suggestion: Suggestion): boolean {
  const waits = db.get(
    "SELECT 1 FROM suggestions WHERE scope_id = :scopeId AND cooldown_key = :key AND state = 'pending'",
    { scopeId: suggestion.scopeId, key: suggestion.cooldownKey },
  );
  if (waits !== null) return false;
  const { suggestionId, scopeId, cooldownKey, state, createdAt, handledAt } = suggestion;
  db.run(
    `INSERT INTO suggestions (suggestion_id, scope_id, cooldown_key, state, created_at, handled_at, suggestion)
     VALUES (:suggestionId, :scopeId, :cooldownKey, :state, :createdAt, :handledAt, :text)`,
    { suggestionId, scopeId, cooldownKey, state, createdAt, handledAt, text: textOf(suggestion) },
  );
  recordAct(madeDraft(suggestion));
  return true;
}

function handle({ db, recordAct }: Parts, handled: HandledSuggestion): Result<Suggestion, SuggestionRefusal> {
  const { suggestionId } = handled;
  const kept = find(db, suggestionId);
  if (kept === null) return err({ code: "suggestion_unknown", suggestionId });
  if (kept.state !== "pending") return err({ code: "suggestion_closed", suggestionId, state: kept.state });
  const answered = answeredAs(kept, handled);
  update(db, answered);
  recordAct(answeredDraft(kept, handled));
  return ok(answered);
}

function update(db: Sqlite, suggestion: Suggestion): void {
  const { suggestionId, state, handledAt } = suggestion;
  db.run(
    `UPDATE suggestions SET state = :state, handled_at = :handledAt, suggestion = :text
     WHERE suggestion_id = :suggestionId`,
    { suggestionId, state, handledAt, text: textOf(suggestion) },
  );
}

/** Whole before it is kept, as after it was read. */
function textOf(suggestion: Suggestion): string {
  const wire = suggestionToWire(suggestion);
  whole(suggestionSchema.safeParse(wire).data, KEPT);
  return JSON.stringify(wire);
}
