import type { JournalCommand, JournalOutcome, OperationId } from "#model";
import type { WireError } from "../wire/http.ts";
import { announce, toast, useUi } from "../ui-state.ts";
import { words } from "../words.ts";
import { discard, isUnsent, submit, type Sent } from "./outbox.ts";
import { readOnce } from "./reads.ts";

type Telling = {
  /** Said when it worked; with an undo button. Without it the change speaks for itself, and `u` still undoes it. */
  readonly done?: string;
  /** Handles a refusal itself and answers true; every other refusal is told here. */
  readonly onRefused?: (error: WireError) => boolean;
};

/** Gives a command, tells the owner what came of it, and answers with the outcome when it was applied. */
export async function run(command: JournalCommand, telling: Telling = {}): Promise<JournalOutcome | null> {
  const sent = await submit(command);
  if (sent.status === "applied") {
    useUi.setState({ undoable: sent.outcome.operationId });
    if (telling.done !== undefined) toast(telling.done, { undo: sent.outcome.operationId });
    return sent.outcome;
  }
  if (sent.status === "queued") {
    const said = telling.done === undefined ? words.done.queued : words.done.queuedAs(telling.done);
    toast(said, { undo: sent.operationId });
    return null;
  }
  if (telling.onRefused?.(sent.error) !== true) tellRefusal(sent.error);
  return null;
}

export function tellRefusal(error: WireError): void {
  const id = error.errorId === null ? "" : ` (${words.errors.id(error.errorId)})`;
  toast(`${words.errors.write}. ${error.message}${id}`, { tone: "wrong" });
}

/** Takes an operation back: one that was not sent is discarded, any other is undone by the server, behind it. */
export async function undo(operationId: OperationId): Promise<void> {
  useUi.setState({ undoable: null });
  if (isUnsent(operationId)) {
    await discard(operationId);
    announce(words.undo.done);
    return;
  }
  const sent: Sent = await submit({ kind: "undo", operationId });
  if (sent.status === "refused") tellRefusal(sent.error);
  else toast(words.undo.done);
}

export async function undoLast(): Promise<void> {
  const { undoable } = useUi.getState();
  if (undoable !== null) return undo(undoable);
  const rows = await readOnce({ kind: "operations", limit: 20 });
  const last = rows?.find((row) => row.undoneBy === null && row.commandKind !== "undo");
  if (last === undefined) announce(words.undo.nothing);
  else await undo(last.operationId);
}
