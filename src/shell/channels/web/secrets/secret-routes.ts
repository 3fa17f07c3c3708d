import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { err, LIMITS, ok, type Result } from "#base";
import {
  listedSecretToWire,
  namedSecretSchema,
  secretRefSchema,
  secretValueSchema,
  secureInputToWire,
  wantedSecretFromWire,
  wantedSecretSchema,
  type PendingSecretsBody,
  type SecretsBody,
} from "#model";
import { mediaType } from "../journal-routes.ts";
import type { Refusal } from "../refusals.ts";
import { readJsonBody, type BodySchema } from "../request-body.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";
import { cameBy, isPrivatePath } from "./private-path.ts";

const JSON_TYPE = "application/json";

/**
 * Secrets. Any session may see what is asked for and bring it; only the terminal asks and removes. No route gives a
 * secret out, and only `POST /secrets/{ref_id}` takes one in. [SECRET-05] [T3]
 */
export function addSecretRoutes(app: FastifyInstance, context: WebContext): void {
  const { secrets, timers } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);
  const readFromTerminal = async <T>(request: FastifyRequest, schema: BodySchema<T>): Promise<Result<T, Refusal>> =>
    callerOf(request).kind === "terminal"
      ? readJsonBody(request.raw, { schema, timers })
      : err({ code: "terminal_only" });

  app.post("/secrets/:ref", async (request, reply) => answer(reply, await takeSecret(context, request)));

  app.get("/api/secrets/pending", async (_request, reply) => {
    const pending = await secrets.pending();
    if (!pending.ok) return answer(reply, pending);
    const body: PendingSecretsBody = { requests: pending.value.map(secureInputToWire) };
    return answer(reply, ok(body));
  });

  app.get("/api/secrets", async (_request, reply) => {
    const listed = await secrets.list();
    if (!listed.ok) return answer(reply, listed);
    const body: SecretsBody = { secrets: listed.value.map(listedSecretToWire) };
    return answer(reply, ok(body));
  });

  app.post("/api/secrets/ask", async (request, reply) => {
    const body = await readFromTerminal(request, wantedSecretSchema);
    const asked = body.ok ? await secrets.ask(wantedSecretFromWire(body.value), actorOf(request)) : body;
    if (!asked.ok) return answer(reply, asked);
    return answer(reply, ok({ request: secureInputToWire(asked.value.request), is_new: asked.value.isNew }));
  });

  app.post("/api/secrets/remove", async (request, reply) => {
    const body = await readFromTerminal(request, namedSecretSchema);
    const removed = body.ok ? await secrets.remove(body.value.ref_id, actorOf(request)) : body;
    return answer(reply, removed.ok ? ok({ removed: true }) : removed);
  });
}

/** The one way in. What was sent leaves this function only towards the vault; the answer says that it is there. */
async function takeSecret(context: WebContext, request: FastifyRequest): Promise<Result<object, Refusal>> {
  const { protocol, headers } = request;
  const came = { protocol, host: headers.host ?? "", by: cameBy(headers) };
  if (!isPrivatePath(context.settings, came)) return err({ code: "https_needed" });
  if (mediaType(headers["content-type"]) !== JSON_TYPE) return err({ code: "json_only", expected: JSON_TYPE });
  const ref = secretRefSchema.safeParse((request.params as { readonly ref?: unknown }).ref);
  // Not repeated in the answer: somebody may have put into the address what belongs into the body.
  if (!ref.success) return err({ code: "route_not_found" });
  const body = await readJsonBody(request.raw, {
    schema: secretValueSchema,
    timers: context.timers,
    bytesMax: LIMITS.secretBodyBytes,
  });
  if (!body.ok) return body;
  const secret = Buffer.from(body.value.value, "utf8");
  const stored = await context.secrets.store({ refId: ref.data, secret, actor: actorOf(request) });
  return stored.ok ? ok({ stored: true }) : stored;
}
