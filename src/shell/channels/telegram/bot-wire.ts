import * as z from "zod/mini";

/**
 * What Silas reads of the Bot API's answers. Telegram adds fields at any time, so unknown ones are left out rather than
 * refused; what is read must be as it says here.
 */
const number = z.int().check(z.gte(-9_007_199_254_740_991), z.lte(9_007_199_254_740_991));
const person = z.object({ id: number, is_bot: z.optional(z.boolean()) });
const chat = z.object({ id: number, type: z.string() });
const anything = z.optional(z.unknown());

const messageSchema = z.object({
  message_id: number,
  chat,
  from: z.optional(person),
  text: z.optional(z.string()),
  /** Set when these are somebody else's words, or a machine's. */
  forward_origin: anything,
  forward_date: anything,
  via_bot: anything,
  sender_chat: anything,
});
const pressSchema = z.object({
  id: z.string(),
  from: person,
  data: z.optional(z.string()),
  message: z.optional(z.object({ message_id: number, chat })),
});
const updateSchema = z.object({
  update_id: number,
  message: z.optional(messageSchema),
  callback_query: z.optional(pressSchema),
});

export type BotMessage = z.infer<typeof messageSchema>;
export type BotPress = z.infer<typeof pressSchema>;
/** `null` for one whose content is not as expected: it is passed over by its number. */
export type BotUpdate = { readonly updateId: number; readonly content: z.infer<typeof updateSchema> | null };

export const botSchema = z.object({ id: number, username: z.optional(z.string()) });
export const sentSchema = z.object({ message_id: number });
export const doneSchema = z.unknown();

const numbered = z.object({ update_id: number });
/** One update that cannot be read does not hold up those behind it; one without a number is none. */
export const updatesSchema = z.pipe(
  z.array(z.unknown()),
  z.transform((all): readonly BotUpdate[] =>
    all.flatMap((update) => {
      const id = numbered.safeParse(update);
      if (!id.success) return [];
      return [{ updateId: id.data.update_id, content: updateSchema.safeParse(update).data ?? null }];
    }),
  ),
);

export const answerSchema = z.object({
  ok: z.boolean(),
  result: z.optional(z.unknown()),
  error_code: z.optional(number),
  description: z.optional(z.string()),
  parameters: z.optional(z.object({ retry_after: z.optional(number) })),
});
export type BotAnswer = z.infer<typeof answerSchema>;
