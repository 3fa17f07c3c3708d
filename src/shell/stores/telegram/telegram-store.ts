import { LIMITS, ok, type Instant, type Sha256Hex } from "#base";
import type { ArrivedText, HeardUpdate, TelegramNotice, TelegramPlace } from "#model";
import type { Pressed, TelegramStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";
import { isKnown, strangerDraft } from "./drafts.ts";

type Parts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** The chat on a migrated `silas.db`. What belongs together is one transaction. */
export function createTelegramStore({ db, recordAct }: Parts): TelegramStore {
  return {
    nextUpdate: async (place, at) => guardedValue(() => nextUpdate(db, { place, at })),
    pass: async (heard) => guarded(() => db.transaction(() => ok(void moveOn(db, heard)))),
    keep: async ({ text, ...heard }) =>
      guarded(() =>
        db.transaction(() => {
          if (!moveOn(db, heard)) return ok(false);
          const { place, updateId } = heard;
          db.run(INSERT_TEXT, { place, id: updateId, text });
          return ok(true);
        }),
      ),
    oldest: async (place) => guardedValue(() => oldest(db, place)),
    begin: async ({ place, updateId, after }) => guardedValue(() => void db.run(BEGIN, { place, id: updateId, after })),
    finish: async ({ place, updateId }) =>
      guardedValue(
        () =>
          void db.run("DELETE FROM telegram_texts WHERE place = :place AND update_id = :id", { place, id: updateId }),
      ),
    ignoreStranger: async (stranger) =>
      guarded(() =>
        db.transaction(() => {
          const { accountId, at } = stranger;
          const isNew = db.run(INSERT_STRANGER, { id: accountId, at, max: LIMITS.telegramStrangers }) > 0;
          if (isNew) recordAct(strangerDraft(stranger));
          return ok(isNew);
        }),
      ),
    notices: async (place) =>
      guardedValue(() => db.all<NoticeRow>(`${NOTICES} WHERE place = :place ORDER BY number`, { place }).map(noticeOf)),
    saveNotice: async (place, notice) => guardedValue(() => void db.run(SAVE_NOTICE, rowOf(place, notice))),
    noticeSent: async ({ place, noticeId: id, messageId: message }) =>
      guardedValue(() => void db.run(NOTICE_SENT, { place, id, message })),
    press: async (pressed) => guarded(() => db.transaction(() => ok(press(db, pressed)))),
    dropNotice: async (place, id) => guardedValue(() => void db.run(DROP_NOTICE, { place, id })),
  };
}

const INSERT_TEXT = "INSERT INTO telegram_texts (place, update_id, text) VALUES (:place, :id, :text)";
const BEGIN = `UPDATE telegram_texts SET is_begun = 1, after_message = :after
  WHERE place = :place AND update_id = :id`;
const INSERT_STRANGER = `INSERT OR IGNORE INTO telegram_strangers (account_id, first_at)
  SELECT :id, :at WHERE (SELECT count(*) FROM telegram_strangers) < :max`;
const NOTICES = "SELECT notice_id, message_id, plan_hash, nonce, stage FROM telegram_notices";
const SAVE_NOTICE = `INSERT INTO telegram_notices (place, notice_id, message_id, plan_hash, nonce, stage)
  VALUES (:place, :notice_id, :message_id, :plan_hash, :nonce, :stage)
  ON CONFLICT (place, notice_id) DO UPDATE SET
    message_id = coalesce(excluded.message_id, message_id), plan_hash = excluded.plan_hash, nonce = excluded.nonce, stage = excluded.stage`;
const NOTICE_SENT = "UPDATE telegram_notices SET message_id = :message WHERE place = :place AND notice_id = :id";
const PRESS = `UPDATE telegram_notices SET nonce = NULL, message_id = coalesce(message_id, :message)
  WHERE place = :place AND notice_id = :id AND nonce = :nonce
    AND (:message IS NULL OR message_id IS NULL OR message_id = :message)`;
const DROP_NOTICE = "DELETE FROM telegram_notices WHERE place = :place AND notice_id = :id";

type Asked = { readonly place: TelegramPlace; readonly at: Instant };
type PlaceRow = { readonly next_update: number; readonly heard_at: string };

function nextUpdate(db: Sqlite, { place, at }: Asked): number {
  const row = db.get<PlaceRow>("SELECT next_update, heard_at FROM telegram_places WHERE place = :place", { place });
  return row !== null && isKnown(row.heard_at as Instant, at) ? row.next_update : 0;
}

/** False for an update that was passed on before. */
function moveOn(db: Sqlite, { place, updateId, at }: HeardUpdate): boolean {
  if (updateId < nextUpdate(db, { place, at })) return false;
  db.run(
    `INSERT INTO telegram_places (place, next_update, heard_at) VALUES (:place, :next, :at)
     ON CONFLICT (place) DO UPDATE SET next_update = excluded.next_update, heard_at = excluded.heard_at`,
    { place, next: updateId + 1, at },
  );
  return true;
}

type TextRow = {
  readonly update_id: number;
  readonly text: string;
  readonly is_begun: number;
  readonly after_message: string | null;
};

function oldest(db: Sqlite, place: TelegramPlace): ArrivedText | null {
  const row = db.get<TextRow>("SELECT * FROM telegram_texts WHERE place = :place ORDER BY number LIMIT 1", { place });
  if (row === null) return null;
  const begun = row.is_begun === 1 ? { after: row.after_message } : null;
  return { updateId: row.update_id, text: row.text, begun };
}

type NoticeRow = {
  readonly notice_id: string;
  readonly message_id: number | null;
  readonly plan_hash: string | null;
  readonly nonce: string | null;
  readonly stage: "ask" | "confirm";
};

function press(db: Sqlite, { place, noticeId: id, nonce, messageId: message }: Pressed): TelegramNotice | null {
  if (db.run(PRESS, { place, id, nonce, message }) === 0) return null;
  const row = db.get<NoticeRow>(`${NOTICES} WHERE place = :place AND notice_id = :id`, { place, id });
  return row === null ? null : noticeOf(row);
}

const noticeOf = ({ notice_id, message_id, plan_hash, nonce, stage }: NoticeRow): TelegramNotice => ({
  noticeId: notice_id,
  messageId: message_id,
  buttons: plan_hash === null ? null : { planHash: plan_hash as Sha256Hex, nonce, stage },
});

const rowOf = (place: TelegramPlace, { noticeId, messageId, buttons }: TelegramNotice) => ({
  place,
  notice_id: noticeId,
  message_id: messageId,
  plan_hash: buttons?.planHash ?? null,
  nonce: buttons?.nonce ?? null,
  stage: buttons?.stage ?? "ask",
});
