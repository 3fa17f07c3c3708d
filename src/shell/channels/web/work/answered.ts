import type { FastifyReply, FastifyRequest } from "fastify";
import type { Result } from "#base";
import type { Refusal } from "../refusals.ts";
import type { BodySchema } from "../request-body.ts";
import type { WebContext } from "../web-context.ts";

/** What is posted to a path, and what comes of it. */
export type Route<T> = {
  readonly schema: BodySchema<T>;
  readonly work: (request: FastifyRequest, body: T) => Promise<Result<object, Refusal>>;
};
type Answered = { readonly reply: FastifyReply; readonly result: Result<object, Refusal> };

/** What came of it, kept by no cache. */
export function answer(context: WebContext, { reply, result }: Answered): FastifyReply {
  if (!result.ok) return context.refuse(reply, result.error);
  return reply.header("cache-control", "no-store").send(result.value);
}
