import { LIMITS, oneLine } from "#base";
import type { AutonomyRefused } from "./autonomy/autonomy-wire.ts";
import { AUTONOMY_WORDS } from "./autonomy/autonomy-words.ts";
import { UNDO_WORDS, type UndoRefusal } from "./batch/undo.ts";
import { TIDY_WORDS, type TidyRefused } from "./batch/tidy-words.ts";
import { DECISION_WORDS, type ApprovalsError } from "./decision-words.ts";
import { DEVICE_WORDS, type DevicesError } from "./approval/device-words.ts";
import type { HoldRefusal } from "./audit/hold.ts";
import type { ChainBroken, ChainCheckEnded } from "./audit/rules.ts";
import { GOAL_WORDS, type GoalRefusal } from "./goal/goal-words.ts";
import type { JournalCommandKind } from "./journal-commands.ts";
import type { InvalidInput, JournalError, StoreFault } from "./journal-errors.ts";
import type { RecordKind } from "./journal-records.ts";
import { SIGNING_KEY_NAME, type KeyError, type SecretMissing, type VaultFault } from "./keys.ts";
import type { MessageRefusal } from "./message/message.ts";
import { MESSAGE_WORDS } from "./message/message-words.ts";
import { PASSKEY_WORDS, type PasskeyError } from "./passkey/words.ts";
import { SECRET_SCAN_WORDS } from "./secret/secret-scan.ts";
import { SECRET_WORDS, type SecretsError } from "./secret/secret-words.ts";
import { MEMORY_WORDS, type MemoryRefusal } from "./memory/memory-words.ts";
import { CONNECTION_WORDS, type ConnectionRefusal } from "./connection/connection-words.ts";
import { SKILL_WORDS, type SkillRefusal } from "./skill/skill-words.ts";
import { SUGGESTION_WORDS, type SuggestionRefusal } from "./suggestion/suggestion-words.ts";
import { WORK_WORDS, type WorkRefusal } from "./work/work-words.ts";

/** The three things a person needs to know: what failed, what became of their data, and what to do now. */
export type Words = { readonly what: string; readonly kept: string; readonly next: string };

/** What a channel refuses by itself, and what a file refuses on its way in. */
type ChannelError =
  | { readonly code: "invalid_line"; readonly line: number; readonly reason: string }
  | { readonly code: "rate_limited"; readonly retry_after_ms: number }
  | { readonly code: PlainCode };
type PlainCode =
  | "unauthorized"
  | "session_revoked"
  | "enrolment_invalid"
  | "foreign_host"
  | "foreign_origin"
  | "bad_request"
  | "route_not_found"
  | "method_not_allowed"
  | "json_only"
  | "invalid_json"
  | "invalid_utf8"
  | "invalid_frame"
  | "body_too_large"
  | "body_too_slow"
  | "too_many_sockets"
  | "shutting_down"
  | "terminal_only"
  | "internal";

type KnownError =
  | JournalError
  | StoreFault
  | InvalidInput
  | ChannelError
  | HoldRefusal
  | ChainCheckEnded
  | KeyError
  | SecretMissing
  | VaultFault
  | ApprovalsError
  | AutonomyRefused
  | DevicesError
  | MessageRefusal
  | PasskeyError
  | SecretsError
  | WorkRefusal
  | UndoRefusal
  | TidyRefused
  | GoalRefusal
  | MemoryRefusal
  | SkillRefusal
  | SuggestionRefusal
  | ConnectionRefusal
  | ChainBroken;
type Table = {
  readonly [C in KnownError["code"]]: (error: Extract<KnownError, { readonly code: C }>) => Words;
};

/** The sentences for an error. A code nobody has written words for is named, and nothing is made up about it. */
export function wordPartsFor(error: { readonly code: string }): Words {
  if (!Object.hasOwn(TABLE, error.code)) {
    return {
      what: `Silas refused this with the code ${oneLine(error.code)}.`,
      kept: "What happened to your data is not known here.",
      next: "Reload to see what is stored; `silas logs` has the details.",
    };
  }
  const sentence = TABLE[error.code as KnownError["code"]] as (error: { readonly code: string }) => Words;
  return sentence(error);
}

/** The same as one text. */
export function wordsFor(error: { readonly code: string }): string {
  const { what, kept, next } = wordPartsFor(error);
  return [what, kept, next].filter((part) => part !== "").join(" ");
}

const NOTHING = "Nothing was changed.";
const refused = (what: string, next = ""): Words => ({ what, kept: NOTHING, next });

const NOUNS: { readonly [K in RecordKind | "operation"]: string } = {
  category: "category",
  label: "label",
  task: "task",
  checklist: "checklist",
  checklistItem: "checklist item",
  timeEntry: "time entry",
  entry: "journal entry",
  dayPlan: "day plan",
  planBlock: "plan block",
  rating: "rating",
  link: "link",
  operation: "change",
};

const TABLE: Table = {
  ...DECISION_WORDS,
  ...WORK_WORDS,
  ...AUTONOMY_WORDS,
  ...UNDO_WORDS,
  ...TIDY_WORDS,
  ...GOAL_WORDS,
  ...DEVICE_WORDS,
  ...MESSAGE_WORDS,
  ...PASSKEY_WORDS,
  ...SECRET_WORDS,
  ...SECRET_SCAN_WORDS,
  ...MEMORY_WORDS,
  ...SKILL_WORDS,
  ...SUGGESTION_WORDS,
  ...CONNECTION_WORDS,
  not_found: ({ what, id }) =>
    refused(`There is no ${NOUNS[what]} ${oneLine(id)}; it may have been deleted.`, "Reload to see what is there."),
  wrong_kind: ({ id, expected }) =>
    refused(`${oneLine(id)} is not a ${NOUNS[expected]}.`, `Give the id of a ${NOUNS[expected]}.`),
  end_not_after_start: () => refused("The end is not after the start.", "Set an end that is later."),
  end_in_future: () => refused("The end is in the future.", "Set an end that has passed, or start a timer."),
  start_in_future: () => refused("The start is in the future.", "Set a start that has passed, or plan a block."),
  timer_running: () => refused("A timer is already running.", "Stop it first, then start the other."),
  no_timer_running: () => refused("No timer is running.", "Start one, or add the time afterwards."),
  name_taken: ({ what, name }) =>
    refused(`There is already a ${NOUNS[what]} named “${oneLine(name)}”.`, "Use it, or choose another name."),
  category_archived: () => refused("This category is archived.", "Take it out of the archive, or choose another."),
  task_concluded: () => refused("This task is already concluded.", "Reopen it first."),
  task_not_concluded: () => refused("This task is still open.", ""),
  due_time_without_date: () => refused("A due time needs a due date.", "Set the date too, or remove the time."),
  repeat_without_date: () =>
    refused("A repeating task needs a due date.", "Set the first date, or remove the repetition."),
  item_not_in_checklist: () =>
    refused("One of these items is not in that checklist; none was moved.", "Reload to see where it is."),
  order_mismatch: () =>
    refused("The list changed while you sorted it.", "Look at the list as it is now, and sort again."),
  link_to_itself: () => refused("A record cannot be linked to itself.", "Choose another record."),
  edit_conflict: ({ field }) =>
    refused(
      `Someone changed “${oneLine(field)}” while you were editing it.`,
      "Both versions are kept here: choose yours or theirs.",
    ),
  changed_since: () =>
    refused("This cannot be undone: something it touched was changed since.", "Undo the later change first."),
  already_undone: () => refused("This change was already undone.", "To have it back, undo the undoing."),
  limit_reached: ({ limit, max }) => refused(`That is more than fits: ${LIMIT_WORDS[limit] ?? limit} (${max}).`, ""),
  operation_mismatch: () =>
    refused("This request was sent before with other contents.", "Send it again as a request of its own."),
  invalid_input: ({ path, reason }) =>
    refused(
      `“${oneLine(path === "" ? "the request" : path)}” is not valid (${oneLine(reason)}).`,
      "Correct it and try again.",
    ),
  invalid_line: ({ line, reason }) => ({
    what: `Line ${line} of the file cannot be imported (${oneLine(reason)}).`,
    kept: "Nothing of the file was imported.",
    next: "Export it again from its source, or correct that line.",
  }),
  store_busy: () => refused("The journal is busy with another write.", "Try again in a moment."),
  store_read_only: () =>
    refused(
      "Silas is read-only and changes nothing.",
      "`silas doctor` says why; the card in the page says what to do.",
    ),
  disk_full: () => refused("The disk is full.", "Free some space, then try again."),
  store_failed: () =>
    refused("The journal could not be written or read.", "Try again; `silas doctor` looks for the cause."),
  store_corrupt: () => ({
    what: "The journal's file is damaged.",
    kept: "Silas stopped writing to it, so it gets no worse.",
    next: "`silas doctor` checks it; `silas restore` puts a backup back.",
  }),
  chain_check_ended: () => refused("The check of the whole audit log ended before it was done.", "Ask for it again."),
  unauthorized: () => refused("This device is not signed in.", "Run `silas open` on the computer Silas runs on."),
  session_revoked: () =>
    refused("This device was signed out.", "Run `silas open` on the computer Silas runs on to sign in again."),
  enrolment_invalid: () =>
    refused(
      `This link was used already or is older than ${LIMITS.enrolmentTtlMs / 60_000} minutes.`,
      "Run `silas open` for a new one.",
    ),
  foreign_host: () => refused("Silas does not answer under this name.", "Open it at http://localhost instead."),
  foreign_origin: () =>
    refused("Another page tried to call Silas and was refused.", "Close that page if you do not know it."),
  bad_request: () => refused("The request could not be read.", "Reload the page and try again."),
  route_not_found: () => refused("There is nothing at this address.", "Go back to the journal."),
  method_not_allowed: () => refused("This address does not take that kind of request.", ""),
  json_only: () => refused("The body is not of the type this address takes.", ""),
  invalid_json: () => refused("The body is not valid JSON.", ""),
  invalid_utf8: () => refused("The body is not valid UTF-8 text.", "Save the file as UTF-8 and try again."),
  invalid_frame: () => refused("A message on the live connection could not be read.", "Reload the page."),
  body_too_large: () => refused("This is too large to be sent at once.", "Send less at a time."),
  body_too_slow: () => refused("The request did not arrive in time.", "Check the connection and try again."),
  rate_limited: ({ retry_after_ms }) =>
    refused("Too many requests in a short time.", `Try again in ${Math.max(1, Math.ceil(retry_after_ms / 1000))} s.`),
  too_many_sockets: () => refused("Too many pages are open at once.", "Close one and try again."),
  shutting_down: () => refused("Silas is shutting down.", "Start it again with `silas start`."),
  terminal_only: () => refused("Only the terminal of this computer may do that.", "Use the `silas` command there."),
  hold_over: () => refused("The database was accepted already.", "Reload the page."),
  hold_differs: () => refused("The database changed since you were shown it.", "Look at it again, then decide."),
  key_unknown: ({ keyId }) =>
    refused(`There is no enrolled key ${oneLine(keyId)}.`, "`silas keys list` shows those that are."),
  key_revoked: ({ keyId }) =>
    refused(
      `The key ${keyId} is revoked, and its signatures do not count.`,
      "`silas keys enrol NAME` makes a new one to sign with.",
    ),
  last_key: ({ keyId }) =>
    refused(
      `${keyId} is the last key in use; without it nothing can be signed or checked.`,
      "`silas keys enrol NAME` first makes another, or add --last-key to mean it.",
    ),
  signer_not_enrolled: ({ keyId }) =>
    refused(
      `The key in the vault (${keyId}) is not enrolled here, so nothing is signed with it.`,
      "`silas restore` puts the registry back, or `silas keys enrol NAME` makes a new key.",
    ),
  chain_broken: () =>
    refused(
      "The audit chain does not hold, so the vault does not vouch for the keys in it.",
      "`silas audit verify --full` names the entry; `silas restore` puts a backup back.",
    ),
  device_signed_out: () =>
    refused(
      "The device that offered this key is not signed in any more.",
      "Sign it in with `silas open`, then offer again.",
    ),
  public_key_invalid: () =>
    refused("This is not a public key of 64 hex characters.", "Copy it from `silas keys list`."),
  signature_invalid: ({ reason }) => refused(`The signature does not hold: ${SIGNATURE_WORDS[reason]}.`),
  secret_missing: ({ ref }) =>
    ref === SIGNING_KEY_NAME
      ? refused(
          "This machine has no key to sign with.",
          "`silas init` makes the first one. If there was one, put the vault back from a backup, or make a new key with `silas keys enrol NAME`.",
        )
      : refused(`The vault holds nothing under ${oneLine(ref)}.`, "Put the vault back from a backup."),
  vault_locked: ({ missing }) =>
    missing === "passphrase"
      ? refused("The vault is locked: it needs its passphrase.", "Set SILAS_VAULT_PASSPHRASE where Silas is started.")
      : refused(
          "The vault is locked: its key file vault.key is not there.",
          "Put vault.key back in the state directory.",
        ),
  vault_wrong_key: () =>
    refused("This passphrase or key file does not open the vault.", "Try again with the one the vault was made with."),
  vault_damaged: ({ reason }) =>
    reason === "key_file_unreadable"
      ? refused("The vault's key file vault.key holds no key.", "Put vault.key back in the state directory.")
      : refused(`The vault's file vault.json is damaged (${oneLine(reason)}).`, "Put vault.json back from a backup."),
  vault_unavailable: () =>
    refused("The secret service that holds the vault does not answer.", "Unlock the keyring of your desktop session."),
  vault_full: () => refused("The vault cannot hold this: it is full, or the secret is too large.", ""),
  internal: () => ({
    what: "Something broke inside Silas.",
    kept: "Everything that was confirmed before is stored.",
    next: "Reload to see what is there; the error id finds the cause in `silas logs`.",
  }),
};

const SIGNATURE_WORDS: { readonly [R in Extract<KeyError, { code: "signature_invalid" }>["reason"]]: string } = {
  empty: "there is none",
  wrong_length: "it is not 128 characters long",
  not_hex: "it holds characters that are no hex digits",
  does_not_match: "it was made for other content or with another key",
};

const LIMIT_WORDS: { readonly [limit: string]: string } = {
  labelsPerTask: "labels on one task",
  pinsPerDay: "tasks pinned to one day",
  blocksPerDay: "blocks in one day",
  idChars: "characters of an id",
  orderKeyChars: "moves to the same place in a list",
};

/** What a command did, in two or three words, for toasts and lists. An operation row that has only a kind will do. */
export function nameOfCommand(command: { readonly kind: string; readonly as?: unknown }): string {
  if (command.kind === "task.conclude" && command.as === "DROPPED") return "Dropped task";
  return Object.hasOwn(NAMES, command.kind) ? NAMES[command.kind as JournalCommandKind] : "Changed the journal";
}

const NAMES: { readonly [K in JournalCommandKind]: string } = {
  "category.create": "Added category",
  "category.update": "Changed category",
  "category.move": "Moved category",
  "category.archive": "Archived category",
  "category.unarchive": "Unarchived category",
  "label.create": "Added label",
  "label.update": "Renamed label",
  "label.delete": "Deleted label",
  "task.create": "Added task",
  "task.update": "Changed task",
  "task.move": "Moved task",
  "task.conclude": "Concluded task",
  "task.reopen": "Reopened task",
  "task.archive": "Archived task",
  "task.unarchive": "Unarchived task",
  "task.delete": "Deleted task",
  "task.followUp": "Added follow-up",
  "checklist.create": "Added checklist",
  "checklist.update": "Renamed checklist",
  "checklist.delete": "Deleted checklist",
  "item.add": "Added items",
  "item.update": "Changed items",
  "item.move": "Moved items",
  "item.delete": "Deleted items",
  "timer.start": "Started timer",
  "timer.stop": "Stopped timer",
  "time.add": "Added time",
  "time.update": "Changed time",
  "time.delete": "Deleted time",
  "entry.create": "Added note",
  "entry.update": "Changed note",
  "entry.delete": "Deleted note",
  "plan.note": "Changed day note",
  "plan.pin": "Pinned to day",
  "plan.unpin": "Unpinned from day",
  "plan.reorder": "Sorted the day",
  "plan.blocks": "Changed day blocks",
  "rating.set": "Rated",
  "rating.clear": "Cleared rating",
  "link.add": "Added link",
  "link.remove": "Removed link",
  undo: "Undid a change",
};
