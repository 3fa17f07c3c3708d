import type { Result } from "#base";
import type {
  CommandOf,
  JournalCommandKind,
  JournalError,
  JournalFacts,
  JournalRead,
  OperationId,
  RecordId,
} from "#model";
import type { Draft } from "./draft.ts";

type Decided = { readonly subjectId: RecordId | null; readonly undoes?: OperationId };

/** How one kind of command is decided. Methods, not function members, so that one table can hold all kinds. */
export type CommandHandler<K extends JournalCommandKind> = {
  reads(command: CommandOf<K>): readonly JournalRead[];
  /** Reads that only the first facts can name. */
  furtherReads?(command: CommandOf<K>, facts: JournalFacts): readonly JournalRead[];
  decide(command: CommandOf<K>, draft: Draft): Result<Decided, JournalError>;
};

/** The handlers of one noun, e.g. every `task.*` command. */
export type HandlersOf<K extends JournalCommandKind> = { readonly [P in K]: CommandHandler<P> };

export const idsRead = (...ids: readonly (RecordId | null | undefined)[]): JournalRead => ({
  kind: "ids",
  ids: [...new Set(ids.filter((id) => id !== null && id !== undefined))],
});
