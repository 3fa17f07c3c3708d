/** Suggestions: what keeps them, and what a surface may do with them. */
import type { Instant, Result } from "#base";
import type {
  AuditActor,
  SkippedTimes,
  StoreFault,
  Suggestion,
  SuggestionAnswer,
  SuggestionOutcome,
  SuggestionRefusal,
} from "#model";

/** Suggestions in `silas.db`. Each change commits together with its audit entry. */
export interface SuggestionStore {
  /** What waits, what was said or answered since then, and all that is not to be said again; newest first. */
  recent(asked: RecentSuggestions): Promise<Result<readonly Suggestion[], StoreFault>>;
  find(suggestionId: string): Promise<Result<Suggestion | null, StoreFault>>;
  /** The newest that says exactly this, whatever became of it. */
  saying(said: SaidSuggestion): Promise<Result<Suggestion | null, StoreFault>>;
  /** All of them or none. INVARIANT: of one thing one waits; one that waits already is not added again. */
  add(suggestions: readonly Suggestion[]): Promise<Result<readonly Suggestion[], StoreFault>>;
  /** INVARIANT: one answer, the first; what expired takes none. [SUGG-08] */
  handle(handled: HandledSuggestion): Promise<Result<Suggestion, SuggestionRefusal | StoreFault>>;
  /** Ends what waits, as answered by nobody. */
  expire(expired: ExpiredSuggestions): Promise<Result<void, StoreFault>>;
  /** Inside a transaction: looks that were due and are not made up for. */
  noteSkipped(skipped: SkippedTimes, at: Instant): void;
}
export type SaidSuggestion = { readonly scopeId: string; readonly words: string };
export type RecentSuggestions = { readonly scopeId: string; readonly since: Instant };
export type HandledSuggestion = {
  readonly suggestionId: string;
  readonly outcome: SuggestionOutcome;
  readonly requestId: string | null;
  readonly at: Instant;
  readonly actor: AuditActor;
};
type ExpiredSuggestions = { readonly suggestionIds: readonly string[]; readonly at: Instant };
/** What the terminal and a channel may do with suggestions. */
export interface SuggestionsDoor {
  /** Those that wait, oldest first. */
  list(): Promise<Result<readonly Suggestion[], StoreFault>>;
  /** Those that held no longer before anybody answered, newest first: nobody's answer, as with requests. [FLOW-23] */
  missed(): Promise<Result<readonly Suggestion[], StoreFault>>;
  /** Takes one up, puts it off, or wants to hear no more of it. Nothing runs by it: taken up, it asks. [SUGG-10] */
  answer(
    suggestionId: string,
    answering: AnsweringSuggestion,
  ): Promise<Result<Suggestion, SuggestionRefusal | StoreFault>>;
}
export type AnsweringSuggestion = { readonly answer: SuggestionAnswer; readonly actor: AuditActor };
