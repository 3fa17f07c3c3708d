import type { AuditActor } from "../audit.ts";
import type { Channel } from "./message.ts";

/**
 * Which ways in have a place of their own to type a secret. The others send a link to such a place, and never ask for the
 * value. [SECRET-11]
 */
const SECURE_INPUT: { readonly [C in Channel]: boolean } = { web: true, cli: true, telegram: false, webhook: false };

export const supportsSecureInput = (channel: Channel): boolean => SECURE_INPUT[channel];

/** The owner, in the chat on Telegram. No signed-in device has this name: theirs are made by chance. */
export const TELEGRAM_SESSION = "telegram";
export const ON_TELEGRAM = { kind: "owner", session_id: TELEGRAM_SESSION } as const satisfies AuditActor;

/** The way by which somebody acts; null for Silas itself and for a model. */
export function channelOf(actor: AuditActor): Channel | null {
  if (actor.kind === "system" || actor.kind === "model") return null;
  if (actor.kind === "terminal") return "cli";
  return actor.session_id === TELEGRAM_SESSION ? "telegram" : "web";
}
