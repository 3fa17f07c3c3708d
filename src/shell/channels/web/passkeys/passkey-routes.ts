import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { err, ok, type Result } from "#base";
import {
  addPasskeySchema,
  askPasskeySchema,
  beginPasskeySchema,
  passkeyToWire,
  removePasskeySchema,
  type Passkey,
} from "#model";
import type { Caller } from "../device-sessions.ts";
import type { Refusal } from "../refusals.ts";
import { readJsonBody, type BodySchema } from "../request-body.ts";
import { takeTry } from "../trust/signing-tries.ts";
import { callerOf, type WebContext } from "../web-context.ts";

/**
 * The passkeys of signed-in browsers. A device adds and removes only its own, and proves it with one; the terminal may
 * take any away and add none. [T6]
 */
export function addPasskeyRoutes(app: FastifyInstance, context: WebContext): void {
  const { passkeys } = context;
  // Other pages of the same browser ask for passkeys too.
  const told = (passkey: Passkey) => {
    context.review.changed();
    return ok(passkeyToWire(passkey));
  };
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);
  const post = <T>(path: string, schema: BodySchema<T>, work: (call: Call<T>) => Promise<Result<object, Refusal>>) =>
    app.post(path, async (request, reply) => {
      const body = await readJsonBody(request.raw, { schema, timers: context.timers });
      if (!body.ok) return answer(reply, body);
      const caller = callerOf(request);
      const may = takeTry(context, caller);
      return answer(reply, may.ok ? await work({ request, caller, body: body.value }) : may);
    });
  const postFromDevice: typeof post = (path, schema, work) =>
    post(path, schema, async (call) => (call.caller.kind === "device" ? work(call) : err({ code: "device_only" })));

  app.get("/api/keys/passkeys", async (_request, reply) => {
    const listed = await passkeys.list();
    return answer(reply, listed.ok ? ok({ passkeys: listed.value.map(passkeyToWire) }) : listed);
  });

  postFromDevice("/api/keys/passkeys/ask", askPasskeySchema, async ({ caller, body }) => {
    const passkeyId = body.purpose === "remove" ? body.passkey_id : null;
    const asked = await passkeys.ask({ sessionId: caller.sessionId, purpose: body.purpose, passkeyId });
    if (!asked.ok) return asked;
    return ok({ challenge: asked.value.challenge, credential_ids: asked.value.credentialIds });
  });

  postFromDevice("/api/keys/passkeys/begin", beginPasskeySchema, async ({ request, caller, body }) => {
    // The guard let only our own origins through; a browser always names one here.
    const { origin } = request.headers;
    if (origin === undefined) return err({ code: "foreign_origin" });
    const { sessionId, deviceName } = caller;
    return passkeys.begin({ sessionId, deviceName, origin, proof: body.proof });
  });

  postFromDevice("/api/keys/passkeys", addPasskeySchema, async ({ caller, body }) => {
    const added = await passkeys.add({ sessionId: caller.sessionId, ...body });
    return added.ok ? told(added.value) : added;
  });

  post("/api/keys/passkeys/remove", removePasskeySchema, async ({ caller, body }) => {
    if (caller.kind === "configured") return err({ code: "device_only" });
    const { passkey_id: passkeyId, proof } = body;
    const by = caller.kind === "terminal" ? null : { sessionId: caller.sessionId, proof };
    const removed = await passkeys.remove({ passkeyId, by });
    return removed.ok ? told(removed.value) : removed;
  });
}

type Call<T> = { readonly request: FastifyRequest; readonly caller: Caller; readonly body: T };
