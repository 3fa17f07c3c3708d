import type { JournalCommand, OperationId, RecordId } from "#model";

/**
 * A record that only this browser knows so far is named after the write that will make it. Later writes may speak of it
 * by that name; they get the real id as soon as the server has given one, before they are sent.
 */
export const standInOf = (operationId: OperationId): RecordId => `pending.${operationId}` as RecordId;

export const isPendingId = (id: string): boolean => id.startsWith("pending.");

const quoted = (id: RecordId): string => JSON.stringify(id);

export const mentions = (command: JournalCommand, id: RecordId): boolean =>
  JSON.stringify(command).includes(quoted(id));

/** The same command with every stand-in that is known by now replaced. A text that merely contains one stays. */
export function withRealIds(command: JournalCommand, realIds: ReadonlyMap<RecordId, RecordId>): JournalCommand {
  const text = JSON.stringify(command);
  if (!text.includes('"pending.')) return command;
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === "string" && !TEXTS.has(key) ? (realIds.get(value as RecordId) ?? value) : value,
  ) as JournalCommand;
}

/** Fields in which people write; whatever they hold is theirs. */
const TEXTS: ReadonlySet<string> = new Set(["title", "newTaskTitle", "notes", "note", "text", "description", "name"]);
