import { createBotApi } from "#channels";
import { createBotGateway } from "#gateway";
import { telegramStateWords, type Config, type TelegramState } from "#model";
import { systemTimers } from "#runtime";
import type { Finding } from "../house/doctor.ts";

type Subject = { readonly setup: { readonly config: Pick<Config, "channels"> } };

/** Whether the chat can be reached with this token. Nothing is read or written there; where it is off, nothing is asked. */
export async function checkTelegram({ setup }: Subject): Promise<Finding> {
  const check = "telegram";
  const { enabled, ownerChatId } = setup.config.channels.telegram;
  if (!enabled) return { check, state: "ok", message: "off", fix: null };
  const bot = createBotGateway({ config: setup.config, timers: systemTimers });
  if (!bot.hasToken) return failed({ kind: "off", code: "telegram_token_missing" });
  if (ownerChatId === null || !/^\d+$/.test(ownerChatId))
    return failed({ kind: "off", code: "telegram_owner_missing" });
  const me = await createBotApi(bot.open(async () => true)).me();
  if (me.ok) return { check, state: "ok", message: `reachable as @${me.value.name}`, fix: null };
  return failed(
    me.error.code === "telegram_token_refused"
      ? { kind: "off", code: me.error.code }
      : { kind: "waiting", code: me.error.code },
  );
}

/** Everything else of Silas runs without it, so what only waits is no failure. */
const failed = (state: TelegramState): Finding => ({
  check: "telegram",
  state: state.kind === "off" ? "fail" : "warn",
  message: telegramStateWords(state),
  fix: "see docs/telegram.md",
});
