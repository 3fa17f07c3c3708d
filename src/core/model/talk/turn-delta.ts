import * as z from "zod/mini";
import { LIMITS } from "#base";
import { recordIdSchema, maxLength } from "../values.ts";

/**
 * A piece of a reply while it is written. `offset` counts the UTF-16 units of the reply before it. Deltas are ephemeral:
 * only the stored turn counts.
 */
export type TurnDelta = { readonly messageId: string; readonly offset: number; readonly text: string };

/** What readers hear of a turn in flight. `held`: a gate needs the whole reply, so no delta comes before the end. */
export type TurnNews =
  | ({ readonly kind: "delta" } & TurnDelta)
  | { readonly kind: "held"; readonly messageId: string }
  | { readonly kind: "ended"; readonly messageId: string };

const of = { message_id: recordIdSchema };
const turnFrameSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("turn_delta"),
    ...of,
    offset: z.int().check(z.gte(0), z.lte(LIMITS.textChars)),
    text: z.string().check(maxLength(LIMITS.textChars)),
  }),
  z.strictObject({ type: z.literal("turn_held"), ...of }),
  z.strictObject({ type: z.literal("turn_ended"), ...of }),
]);
export type TurnFrame =
  | { readonly type: "turn_delta"; readonly message_id: string; readonly offset: number; readonly text: string }
  | { readonly type: "turn_held"; readonly message_id: string }
  | { readonly type: "turn_ended"; readonly message_id: string };

export function turnNewsToWire(news: TurnNews): TurnFrame {
  const { messageId: message_id } = news;
  if (news.kind === "delta") return { type: "turn_delta", message_id, offset: news.offset, text: news.text };
  return { type: `turn_${news.kind}`, message_id };
}

/** Null for any other frame. */
export function turnNewsFromWire(body: unknown): TurnNews | null {
  const parsed = turnFrameSchema.safeParse(body);
  if (!parsed.success) return null;
  const { message_id: messageId, type } = parsed.data;
  if (type === "turn_delta") return { kind: "delta", messageId, offset: parsed.data.offset, text: parsed.data.text };
  return { kind: type === "turn_held" ? "held" : "ended", messageId };
}

/**
 * The reply so far with a delta added. A delta that repeats known text adds only its rest. One that leaves a gap is
 * ignored, and so is everything after it until the text so far is sent again from offset 0 or the turn is read.
 */
export function joinDelta(soFar: string, { offset, text }: Pick<TurnDelta, "offset" | "text">): string {
  const end = offset + text.length;
  if (offset > soFar.length || end <= soFar.length || end > LIMITS.textChars) return soFar;
  return soFar + text.slice(soFar.length - offset);
}
