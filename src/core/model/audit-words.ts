import { oneLine, plainMoment } from "#base";
import { egressSentences } from "./egress/egress-audit.ts";
import { credentialSentences } from "./secret/credential-audit.ts";
import { consultSentences } from "./consult/consult-audit.ts";
import { autonomySentences } from "./autonomy/autonomy-audit.ts";
import { batchSentences } from "./batch/batch-audit.ts";
import { busSentences } from "./bus/bus-audit.ts";
import { gateSentences } from "./gate/gate-audit.ts";
import { goalSentences } from "./goal/goal-audit.ts";
import { memorySentences } from "./memory/memory-audit.ts";
import { connectionSentences } from "./connection/connection-audit.ts";
import { skillSentences } from "./skill/skill-audit.ts";
import { suggestionSentences } from "./suggestion/suggestion-audit.ts";
import { timerSentences } from "./timer/timer-audit.ts";
import { telegramSentences } from "./telegram/telegram-audit.ts";
import { talkSentences } from "./talk/talk-audit.ts";
import { runSentences } from "./work/run-audit.ts";
import { migrationWords, reasonWords } from "./audit/reason-words.ts";
import { byId, type NameOf } from "./work/work-names.ts";
import type { AuditBreak, AuditDataOf, AuditEntry, AuditEvent } from "./audit.ts";

type Sentences = { readonly [E in AuditEvent]: (data: AuditDataOf<E>, nameOf: NameOf) => string };

/**
 * What an entry says, as one plain sentence. Names are made safe to show. An unknown event is named, not guessed at. Work
 * is called what `nameOf` calls it.
 */
export function activitySentence(entry: Pick<AuditEntry, "event" | "data">, nameOf: NameOf = byId): string {
  if (!Object.hasOwn(SENTENCES, entry.event)) return `Recorded ${oneLine(entry.event)}`;
  // The data of an entry fitted the schema of its event when it was written.
  const sentence = SENTENCES[entry.event as AuditEvent] as (data: AuditEntry["data"], nameOf: NameOf) => string;
  return sentence(entry.data, nameOf);
}

const SENTENCES: Sentences = {
  instance_started: ({ version, ended_cleanly }) =>
    `Silas ${version} started${ended_cleanly ? "" : "; the run before it ended without a stop"}`,
  instance_stopped: () => "Silas stopped",
  faults_caught: ({ telegram, process }) =>
    `Kept running after ${counted(telegram + process, "internal error")}${process === 0 ? " on Telegram" : ""}; see the log`,
  device_enrolled: ({ device_name }) => `Signed in ${oneLine(device_name)}`,
  device_revoked: ({ device_name }) => `Signed out ${oneLine(device_name)}`,
  key_enrolled: ({ key_id, key_name, countersigned }) =>
    countersigned === true
      ? `Confirmed the signing key ${oneLine(key_name)} (${short(key_id)}) by the vault`
      : `Enrolled the signing key ${oneLine(key_name)} (${short(key_id)})`,
  callers_refused: ({ foreign_origin, foreign_host, unauthenticated_frame }) =>
    `Turned away ${counted(foreign_origin + foreign_host + unauthenticated_frame, "stranger")} at the door`,
  device_key_offered: ({ key_id, key_name }) =>
    `A device offered the key ${oneLine(key_name)} (${short(key_id)}); it waits to be confirmed`,
  device_key_refused: ({ reason }) => `Refused the key of a device (${reasonWords(reason)})`,
  key_used: ({ key_id, purpose }) => KEY_USES[purpose](short(key_id)),
  key_revoked: ({ key_id, key_name }) => `Revoked the key ${oneLine(key_name)} (${short(key_id)})`,
  passkey_added: ({ passkey_id, passkey_name }) => `Added the passkey ${oneLine(passkey_name)} (${short(passkey_id)})`,
  passkey_used: ({ passkey_id, purpose }) => `Used the passkey ${short(passkey_id)} ${PASSKEY_USES[purpose]}`,
  passkey_removed: ({ passkey_id, passkey_name }) =>
    `Removed the passkey ${oneLine(passkey_name)} (${short(passkey_id)})`,
  passkey_refused: ({ purpose, reason }) => `Refused a passkey ${PASSKEY_USES[purpose]} (${reasonWords(reason)})`,
  enrolment_refused: ({ invalid, rate_limited }) => `Refused ${counted(invalid + rate_limited, "sign-in")}`,
  journal_import_started: () => "Began to import into the journal",
  journal_imported: ({ added, replaced, conflicts }) =>
    `Imported ${counted(added + replaced, "record")}${conflicts === 0 ? "" : `; left ${counted(conflicts, "conflict")} alone`}`,
  journal_import_failed: ({ reason }) => `Refused an import (${reasonWords(reason)}); nothing of it was written`,
  journal_export_started: () => "Began to export the journal",
  journal_exported: ({ lines }) => `Exported the journal, ${counted(lines, "line")}`,
  journal_export_failed: ({ reason }) => `An export of the journal ended early (${reasonWords(reason)})`,
  backup_created: ({ files, bytes }) => `Backed up ${counted(files, "file")}, ${counted(bytes, "byte")}`,
  backup_restore_started: ({ backup_created_at }) => `Began to restore the backup of ${plainMoment(backup_created_at)}`,
  backup_restored: ({ backup_created_at }) => `Restored the backup of ${plainMoment(backup_created_at)}`,
  backup_restore_failed: ({ reason }) => `A restore was refused (${reasonWords(reason)}); the data stayed as it was`,
  approvals_voided: ({ reason }) => `${VOIDED[reason]}; every unused approval is void`,
  approval_requested: ({ work_item_id: id, risk }, nameOf) =>
    `Asked for a decision on ${nameOf(id)} (${riskWords(risk)})`,
  approval_granted: ({ work_item_id: id, key_id }, nameOf) =>
    `Approved ${nameOf(id)}, signed with key ${short(key_id)}`,
  approval_standing: ({ work_item_id: id, key_id, uses_max }, nameOf) =>
    `Approved ${counted(uses_max, "repair")} of ${nameOf(id)} in advance, signed with key ${short(key_id)}`,
  approval_used: ({ token_id, use_number }) =>
    `Used the approval ${short(token_id)} for the ${ordinal(use_number)} time`,
  approval_declined: ({ work_item_id: id }, nameOf) => `Declined ${nameOf(id)}`,
  approval_replaced: ({ work_item_id: id }, nameOf) => `Replaced the request about ${nameOf(id)} by a selection of it`,
  approval_expired: ({ work_item_id: id }, nameOf) => `Nobody decided on ${nameOf(id)} in time`,
  approval_refused: ({ work_item_id: id, reason }, nameOf) =>
    `Refused an approval of ${nameOf(id)} (${reasonWords(reason)})`,
  secret_asked: ({ ref_id }) => `Asked for the secret ${ref_id}`,
  secret_stored: ({ ref_id }) => `Stored the secret ${ref_id} in the vault`,
  secret_removed: ({ ref_id }) => `Removed the secret ${ref_id}`,
  message_received: ({ channel, taint }) => `Received a message by ${channel} (${TAINT_WORDS[taint] ?? taint})`,
  message_replay_refused: ({ reason }) => `A signed message did not count as yours (${reasonWords(reason)})`,
  message_signature_refused: ({ key_id, reason }) =>
    `The signature of a message by key ${short(key_id)} did not hold (${reasonWords(reason)})`,
  message_blocked: () => "A gate blocked a message",
  message_endorsed: ({ message_id }) => `You endorsed the message ${message_id}`,
  access_changed: ({ connection_id, level }) => `The connection ${connection_id} reached the level ${level}`,
  ...gateSentences,
  ...autonomySentences,
  ...batchSentences,
  ...busSentences,
  ...runSentences,
  ...goalSentences,
  ...egressSentences,
  ...credentialSentences,
  ...telegramSentences,
  ...skillSentences,
  ...suggestionSentences,
  ...timerSentences,
  ...connectionSentences,
  ...memorySentences,
  ...talkSentences,
  ...consultSentences,
  migration_applied: ({ store, migration }) => `Brought the ${store} database to ${migrationWords(migration)}`,
  audit_checkpoint: ({ key_id }) =>
    `Verified the audit chain and marked its head${(key_id ?? null) === null ? "" : `, signed with the key ${short(key_id ?? "")}`}`,
};

const VOIDED: { readonly [R in AuditDataOf<"approvals_voided">["reason"]]: string } = {
  backup_restored: "A backup took the place of the database",
  database_older: "You accepted an older database",
  heads_missing: "You accepted the database without its record",
  heads_unreadable: "You accepted the database with a damaged record",
};

const KEY_USES: { readonly [P in AuditDataOf<"key_used">["purpose"]]: (keyId: string) => string } = {
  approval: (keyId) => `Signed an approval with the key ${keyId}`,
  file: (keyId) => `Signed a file with the key ${keyId}`,
  key: (keyId) => `Signed another key with the key ${keyId}`,
  message: (keyId) => `Signed a message with the key ${keyId}`,
  self_test: (keyId) => `Tested the signing key ${keyId}`,
};

/** Enough to know a key or an approval again; the entry itself has all of it, and the list of keys shows as much. */
const short = (id: string): string => id.slice(0, id.startsWith(TOKEN_PREFIX) ? TOKEN_PREFIX.length + 8 : 8);
const TOKEN_PREFIX = "tok_";

const riskWords = (risk: string): string => (risk === "irreversible" ? risk : `${risk} risk`);

const TAINT_WORDS: { readonly [taint: string]: string } = {
  owner: "signed by you",
  auth: "known sender, unsigned",
  external: "from outside",
};

const PASSKEY_USES: { readonly [P in AuditDataOf<"passkey_used">["purpose"]]: string } = {
  approval: "for an approval",
  add: "to add another",
  remove: "to remove it",
};

/** What is wrong with a chain, as one sentence. */
export function auditBreakWords(broken: AuditBreak): string {
  switch (broken.code) {
    case "entry_missing":
      return `Entry ${broken.seq} is missing.`;
    case "entry_changed":
      return `Entry ${broken.seq} was changed: its content is not what its hash says.`;
    case "entry_moved":
      return `Entry ${broken.seq} is not the one that was recorded at this place.`;
    case "previous_differs":
      return `Entry ${broken.seq} does not follow the entry before it: one of them was replaced.`;
    case "entries_cut":
      return `The chain ends before entry ${broken.seq}, which is known to have been recorded.`;
    case "head_differs":
      return `Entry ${broken.seq} is not the one that was noted as the head at that time.`;
    case "head_missing":
      return `The head that was noted beside the database at entry ${broken.seq} is missing.`;
    case "heads_unsigned":
      return `No head is signed, though there was a key to sign them with before entry ${broken.seq}.`;
    case "head_signature_missing":
      return `Entry ${broken.seq} names the key that signed this head, and the signature is missing.`;
    case "head_signature_invalid":
      return `The signature of the head at entry ${broken.seq} does not match it.`;
    case "head_key_unknown":
      return `The head at entry ${broken.seq} is signed with the key ${oneLine(broken.keyId)}, which was not one of yours then.`;
    case "checkpoint_differs":
      return `The checkpoint ${oneLine(broken.checkpointId)} and entry ${broken.seq} disagree.`;
    case "checkpoint_missing":
      return `The checkpoint ${oneLine(broken.checkpointId)} that entry ${broken.seq} names is missing.`;
    case "checkpoint_unknown":
      return `There is no checkpoint ${oneLine(broken.checkpointId)}.`;
    case "heads_unreadable":
      return `Line ${broken.line} of audit-heads.jsonl cannot be read.`;
    case "file_unreadable":
      return `Line ${broken.line} of the file cannot be read (${oneLine(broken.reason)}).`;
  }
}

function ordinal(count: number): string {
  const teen = [11, 12, 13].includes(count % 100);
  return `${count}${(teen ? null : { 1: "st", 2: "nd", 3: "rd" }[count % 10]) ?? "th"}`;
}

function counted(count: number, noun: string): string {
  const digits = String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return `${digits} ${noun}${count === 1 ? "" : "s"}`;
}
