import { err, uuidV7 } from "#base";
import type { AuditActor, AuditDraft } from "#model";
import type { AuditLog, Clock, JournalDoor, Log, Randomness } from "#ports";

type AuditedTransfersDeps = {
  readonly journal: JournalDoor;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
};

/**
 * The journal's door with everything that moves the whole of it recorded. The journal is another database, so no commit
 * can hold both: the beginning is recorded before anything moves, the end after it, and a beginning without an end tells
 * of a crash between them. What cannot be recorded does not begin.
 */
export function withAuditedTransfers(deps: AuditedTransfersDeps): JournalDoor {
  const { journal } = deps;
  return {
    ...journal,
    exportLines: (actor) => exportRecorded(deps, actor),
    async importLines(lines, actor) {
      const act = createAct(deps, actor);
      const begun = await deps.audit.append(act.draft("journal_import_started", {}));
      if (!begun.ok) {
        return err(begun.error.code === "invalid_input" ? UNRECORDED : begun.error);
      }
      try {
        const imported = await journal.importLines(lines, actor);
        await act.end(
          imported.ok
            ? act.draft("journal_imported", { ...imported.value, conflicts: imported.value.conflicts.length })
            : act.draft("journal_import_failed", { reason: imported.error.code }),
        );
        return imported;
      } catch (thrown) {
        // The lines themselves broke off, as when a sender goes away; nothing was written.
        await act.end(act.draft("journal_import_failed", { reason: "interrupted" }));
        throw thrown;
      }
    },
  };
}

const UNRECORDED = { code: "store_failed", retryable: false } as const;

async function* exportRecorded(deps: AuditedTransfersDeps, actor: AuditActor): AsyncGenerator<string> {
  const act = createAct(deps, actor);
  const begun = await deps.audit.append(act.draft("journal_export_started", {}));
  if (!begun.ok) throw new Error("an export that cannot be recorded does not begin", { cause: begun.error });
  let lines = 0;
  let isWhole = false;
  try {
    for await (const line of deps.journal.exportLines(actor)) {
      yield line;
      lines += 1;
    }
    isWhole = true;
  } finally {
    // Also where the reader goes away in the middle: what it got, it has.
    await act.end(
      isWhole
        ? act.draft("journal_exported", { lines })
        : act.draft("journal_export_failed", { reason: "interrupted" }),
    );
  }
}

type Act = {
  /** The data of one entry of this act; the act's id is added to it. */
  draft<E extends ActEvent>(event: E, data: Omit<DataOf<E>, "act_id">): AuditDraft;
  /** The act has happened whatever becomes of its entry; without one it is shown as unfinished. */
  end(draft: AuditDraft): Promise<void>;
};
type ActEvent = Extract<AuditDraft, { readonly data: { readonly act_id: string } }>["event"];
type DataOf<E extends ActEvent> = Extract<AuditDraft, { readonly event: E }>["data"];

function createAct({ audit, clock, randomness, log }: AuditedTransfersDeps, actor: AuditActor): Act {
  const actId = uuidV7(clock.now(), randomness.bytes(10));
  return {
    draft: (event, data) => ({ event, data: { ...data, act_id: actId }, at: clock.now(), actor }) as AuditDraft,
    async end(draft) {
      const ended = await audit.append(draft);
      if (!ended.ok) log.error("audit_append_failed", ended.error);
    },
  };
}
