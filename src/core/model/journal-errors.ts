import type { RecordKind } from "./journal-records.ts";
import type { SecretRefusal } from "./secret/secret-scan.ts";
import type { OperationId, RecordId } from "./values.ts";

/** Why a journal command was refused. Facts only; the sentences are in `words.ts`. */
export type JournalError =
  | SecretRefusal
  | { readonly code: "not_found"; readonly what: RecordKind | "operation"; readonly id: string }
  | { readonly code: "end_not_after_start" }
  | { readonly code: "end_in_future" }
  | { readonly code: "start_in_future" }
  | { readonly code: "timer_running"; readonly entryId: RecordId; readonly taskId: RecordId | null }
  | { readonly code: "no_timer_running" }
  | { readonly code: "name_taken"; readonly what: "category" | "label"; readonly name: string }
  | { readonly code: "category_archived"; readonly id: RecordId }
  | { readonly code: "task_concluded"; readonly id: RecordId }
  | { readonly code: "task_not_concluded"; readonly id: RecordId }
  | { readonly code: "due_time_without_date" }
  | { readonly code: "repeat_without_date" }
  | { readonly code: "item_not_in_checklist"; readonly id: RecordId; readonly checklistId: RecordId }
  | { readonly code: "order_mismatch" }
  | { readonly code: "link_to_itself" }
  | {
      readonly code: "edit_conflict";
      readonly id: RecordId;
      readonly field: string;
      readonly yours: unknown;
      readonly theirs: unknown;
    }
  | { readonly code: "changed_since"; readonly id: RecordId }
  | { readonly code: "already_undone"; readonly operationId: OperationId }
  | { readonly code: "limit_reached"; readonly limit: string; readonly max: number }
  | { readonly code: "operation_mismatch"; readonly operationId: OperationId }
  | { readonly code: "wrong_kind"; readonly id: RecordId; readonly expected: RecordKind };

/** Why the world could not do it: the store's own faults. Nothing was written. */
export type StoreFault = {
  readonly code: "store_busy" | "store_read_only" | "disk_full" | "store_failed" | "store_corrupt";
  readonly retryable: boolean;
  readonly cause?: unknown;
};

/** What came over a border was not what its schema says. `path` names the field, e.g. `command.set.title`. */
export type InvalidInput = { readonly code: "invalid_input"; readonly path: string; readonly reason: string };
