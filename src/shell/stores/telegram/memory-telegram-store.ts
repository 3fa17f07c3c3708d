import { LIMITS, ok, type Instant } from "#base";
import type { ArrivedText, HeardUpdate, TelegramNotice, TelegramPlace } from "#model";
import type { TelegramStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { isKnown, strangerDraft } from "./drafts.ts";

type Heard = { readonly next: number; readonly at: Instant };

/** The in-memory twin of what is kept about the chat: the same behaviour in the plainest code. */
export function createMemoryTelegramStore(recordAct: RecordAct): TelegramStore {
  const heardAt = new Map<TelegramPlace, Heard>();
  const textsAt = new Map<TelegramPlace, ArrivedText[]>();
  const strangers = new Set<string>();
  const textsOf = (place: TelegramPlace): ArrivedText[] => textsAt.get(place) ?? [];
  const nextUpdate = (place: TelegramPlace, at: Instant): number => {
    const heard = heardAt.get(place);
    return heard !== undefined && isKnown(heard.at, at) ? heard.next : 0;
  };
  const moveOn = ({ place, updateId, at }: HeardUpdate): boolean => {
    if (updateId < nextUpdate(place, at)) return false;
    heardAt.set(place, { next: updateId + 1, at });
    return true;
  };
  return {
    nextUpdate: async (place, at) => ok(nextUpdate(place, at)),
    pass: async (heard) => ok(void moveOn(heard)),
    keep: async ({ text, ...heard }) => {
      if (!moveOn(heard)) return ok(false);
      textsAt.set(heard.place, [...textsOf(heard.place), { updateId: heard.updateId, text, begun: null }]);
      return ok(true);
    },
    oldest: async (place) => ok(textsOf(place)[0] ?? null),
    begin: async ({ place, updateId, after }) => {
      const begun = textsOf(place).map((text) => (text.updateId === updateId ? { ...text, begun: { after } } : text));
      return ok(void textsAt.set(place, begun));
    },
    finish: async ({ place, updateId }) =>
      ok(
        void textsAt.set(
          place,
          textsOf(place).filter((text) => text.updateId !== updateId),
        ),
      ),
    ignoreStranger: async (stranger) => {
      const { accountId } = stranger;
      if (strangers.has(accountId) || strangers.size >= LIMITS.telegramStrangers) return ok(false);
      strangers.add(accountId);
      recordAct(strangerDraft(stranger));
      return ok(true);
    },
    ...createMemoryNotices(),
  };
}

type Notices = Pick<TelegramStore, "notices" | "saveNotice" | "noticeSent" | "press" | "dropNotice">;

function createMemoryNotices(): Notices {
  const noticesAt = new Map<TelegramPlace, Map<string, TelegramNotice>>();
  const noticesOf = (place: TelegramPlace) => noticesAt.get(place) ?? new Map<string, TelegramNotice>();
  return {
    notices: async (place) => ok([...noticesOf(place).values()]),
    saveNotice: async (place, notice) => {
      const messageId = notice.messageId ?? noticesOf(place).get(notice.noticeId)?.messageId ?? null;
      return ok(void noticesAt.set(place, new Map([...noticesOf(place), [notice.noticeId, { ...notice, messageId }]])));
    },
    noticeSent: async ({ place, noticeId, messageId }) => {
      const notice = noticesOf(place).get(noticeId);
      if (notice !== undefined) noticesOf(place).set(noticeId, { ...notice, messageId });
      return ok();
    },
    press: async ({ place, noticeId, nonce, messageId }) => {
      const notice = noticesOf(place).get(noticeId);
      if (notice === undefined || notice.buttons === null || notice.buttons.nonce !== nonce) return ok(null);
      const shown = notice.messageId ?? messageId;
      if (messageId !== null && shown !== messageId) return ok(null);
      const pressed = { ...notice, messageId: shown, buttons: { ...notice.buttons, nonce: null } };
      noticesOf(place).set(noticeId, pressed);
      return ok(pressed);
    },
    dropNotice: async (place, noticeId) => ok(void noticesOf(place).delete(noticeId)),
  };
}
