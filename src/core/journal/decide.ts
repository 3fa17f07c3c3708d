import { assert, canonicalDigest, ok, type Instant, type Result, type Sha256Hex } from "#base";
import type {
  JournalCommand,
  JournalCommandKind,
  JournalCommit,
  JournalError,
  JournalFacts,
  JournalRead,
  OperationId,
} from "#model";
import type { CommandHandler, HandlersOf } from "./command-handler.ts";
import { categoryHandlers, labelHandlers } from "./commands/category-label.ts";
import { checklistHandlers } from "./commands/checklist.ts";
import { entryHandlers } from "./commands/entry.ts";
import { linkHandlers } from "./commands/link.ts";
import { planHandlers } from "./commands/plan.ts";
import { ratingHandlers } from "./commands/rating.ts";
import { concludeHandlers } from "./commands/task-conclude.ts";
import { taskHandlers } from "./commands/task.ts";
import { timeHandlers } from "./commands/time.ts";
import { undoHandlers } from "./commands/undo.ts";
import { createDraft } from "./draft.ts";
import { withoutUndefined } from "./same-value.ts";

export type JournalDecision = Pick<JournalCommit, "subjectId" | "writes" | "undoes">;

type DecideInput = {
  readonly command: JournalCommand;
  readonly operationId: OperationId;
  readonly at: Instant;
  readonly facts: JournalFacts;
};

/** What a command writes, or why it is refused. Nothing else decides about the journal. [JOURNAL-01] */
export function decide({ command, operationId, at, facts }: DecideInput): Result<JournalDecision, JournalError> {
  const draft = createDraft({ operationId, at, facts });
  const decided = handlerOf(command).decide(command, draft);
  if (!decided.ok) return decided;
  return ok({ subjectId: decided.value.subjectId, writes: draft.writes(), undoes: decided.value.undoes ?? null });
}

/** What has to be read before a command can be decided. */
export function readsOf(command: JournalCommand): readonly JournalRead[] {
  return handlerOf(command)
    .reads(command)
    .filter((read) => read.kind !== "ids" || read.ids.length > 0);
}

/**
 * What the first facts show to be needed as well; empty for most commands. Its records are added to the first ones
 * before deciding.
 */
export function furtherReadsOf(command: JournalCommand, facts: JournalFacts): readonly JournalRead[] {
  const reads = handlerOf(command).furtherReads?.(command, facts) ?? [];
  return reads.filter((read) => read.kind !== "ids" || read.ids.length > 0);
}

/** Identity of what was asked: an operation id that comes back with another digest is a mistake of its sender. */
export function digestOfCommand(command: JournalCommand): Sha256Hex {
  const digest = canonicalDigest(withoutUndefined(command));
  assert(digest.ok, "a parsed command has a canonical form");
  return digest.value;
}

const HANDLERS: HandlersOf<JournalCommandKind> = {
  ...categoryHandlers,
  ...labelHandlers,
  ...taskHandlers,
  ...concludeHandlers,
  ...checklistHandlers,
  ...timeHandlers,
  ...entryHandlers,
  ...planHandlers,
  ...ratingHandlers,
  ...linkHandlers,
  ...undoHandlers,
};

function handlerOf(command: JournalCommand): CommandHandler<JournalCommandKind> {
  assert(Object.hasOwn(HANDLERS, command.kind), `a known command: ${command.kind}`);
  return HANDLERS[command.kind] as CommandHandler<JournalCommandKind>;
}
