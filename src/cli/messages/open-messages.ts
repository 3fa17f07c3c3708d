import { reachSilas } from "../client/door.ts";
import { loadSetup } from "../client/setup.ts";
import { askOnce } from "../keys/open-keys.ts";
import type { Call } from "../terminal/context.ts";
import { createHttpMessages, type Messages } from "./http-messages.ts";

/** Who speaks when a verb of the terminal does. */
export const AT_TERMINAL = {
  connectionId: "terminal",
  channel: "cli",
  senderId: "terminal",
  identity: "owner",
  actor: { kind: "terminal" },
} as const;

export type Reached = { readonly messages: Messages; readonly scopeId: string };

/** Messages for the time of `work`: through the running instance, or in this process when none runs. */
export async function withMessages<T>(
  { environment, terminal }: Pick<Call<object>, "environment" | "terminal">,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  const scopeId = loadSetup(environment).config.ownerId;
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") return work({ messages: createHttpMessages(silas.address), scopeId });
  const { talk, ...messages } = silas.app.messages;
  const follow: Messages["talk"]["follow"] = (messageId, listener) =>
    talk.subscribe((news) => void (news.messageId === messageId && listener(news)));
  try {
    return await work({ messages: { ...messages, talk: { ...talk, follow } }, scopeId });
  } finally {
    await silas.app.close();
  }
}
