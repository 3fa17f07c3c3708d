import type { KeptMessageBody, StoppedTurnBody } from "#model";
import { toast } from "../ui-state.ts";
import { send, type WireError } from "../wire/http.ts";
import { words } from "../words.ts";
import { invalidateTalk } from "./talk-reads.ts";

/** Words for Silas, which decides by the session and by what they repeat how far they are trusted. */
type Outgoing = Pick<KeptMessageBody, "text"> & {
  readonly attachments?: readonly string[];
  readonly reply_to?: string | null;
  readonly quotes?: readonly string[];
};

/** False when they did not get there; the person is told. */
export async function sendMessage(message: Outgoing): Promise<boolean> {
  const answer = await send("/api/messages", { method: "POST", json: message });
  if (!answer.ok) tell(answer.error);
  await invalidateTalk();
  return answer.ok;
}

/**
 * The same words as a new message. INVARIANT: they are trusted no further than before: what they came with goes along,
 * and words that were not the owner's are sent as a quotation of themselves.
 */
export function sameAgain({ message_id, text, sources, taint }: KeptMessageBody): Required<Outgoing> {
  const of = (relation: string): readonly string[] =>
    sources.filter((source) => source.relation === relation).map(({ item_id }) => item_id);
  return {
    text,
    attachments: of("attachment"),
    reply_to: of("reply_to")[0] ?? null,
    quotes: [...of("quote"), ...(taint === "external" ? [message_id] : [])],
  };
}

export async function stopAnswer(messageId: string): Promise<void> {
  const answer = await send<StoppedTurnBody>("/api/messages/stop", { method: "POST", json: { message_id: messageId } });
  if (!answer.ok) tell(answer.error);
  await invalidateTalk();
}

const tell = ({ message }: WireError): void => toast(message || words.connection.offline, { tone: "wrong" });
