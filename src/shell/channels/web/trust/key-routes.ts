import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { err, ok, type Result } from "#base";
import {
  enrolKeySchema,
  ownerKeyToWire,
  revokeKeySchema,
  signFileSchema,
  verifyFileSchema,
  type KeysReport,
} from "#model";
import type { Refusal } from "../refusals.ts";
import { readJsonBody, type BodySchema } from "../request-body.ts";
import { callerOf, type WebContext } from "../web-context.ts";

const TERMINAL = { kind: "terminal" } as const;

/**
 * The owner's keys. Any session may see public halves and check a signature; only the terminal of this machine may use
 * or change the signing key, because a decision made in a page is signed by the page's own key and by no other. [T6]
 */
export function addKeyRoutes(app: FastifyInstance, context: WebContext): void {
  const { keys } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);
  const read = <T>(request: FastifyRequest, schema: BodySchema<T>) =>
    readJsonBody(request.raw, { schema, timers: context.timers });
  const readFromTerminal = async <T>(request: FastifyRequest, schema: BodySchema<T>): Promise<Result<T, Refusal>> =>
    callerOf(request).kind === "terminal" ? read(request, schema) : err({ code: "terminal_only" });

  app.get("/api/keys", async (_request, reply) => {
    const listed = await keys.list();
    return answer(reply, listed.ok ? ok({ keys: listed.value.map(ownerKeyToWire) }) : listed);
  });

  app.post("/api/keys/verify-file", async (request, reply) => {
    const body = await read(request, verifyFileSchema);
    if (!body.ok) return answer(reply, body);
    const { sha256, key_id: keyId, signature } = body.value;
    const verified = await keys.verifyFile({ sha256, keyId, signature });
    return answer(reply, verified.ok ? ok({ key_id: verified.value.keyId, name: verified.value.name }) : verified);
  });

  app.post("/api/keys/sign-file", async (request, reply) => {
    const body = await readFromTerminal(request, signFileSchema);
    if (!body.ok) return answer(reply, body);
    const signed = await keys.signFile(body.value.sha256, TERMINAL);
    return answer(reply, signed.ok ? ok({ key_id: signed.value.keyId, signature: signed.value.signature }) : signed);
  });

  app.post("/api/keys/enrol", async (request, reply) => {
    const body = await readFromTerminal(request, enrolKeySchema);
    const enrolled = body.ok ? await keys.enrol(body.value.name, TERMINAL) : body;
    return answer(reply, enrolled.ok ? ok(ownerKeyToWire(enrolled.value)) : enrolled);
  });

  app.post("/api/keys/revoke", async (request, reply) => {
    const body = await readFromTerminal(request, revokeKeySchema);
    if (!body.ok) return answer(reply, body);
    const { key_id: keyId, last_key: lastKey } = body.value;
    const revoked = await keys.revoke({ keyId, lastKey, actor: TERMINAL });
    // It may be the key of a page that is open now.
    if (revoked.ok) context.review.changed();
    return answer(reply, revoked.ok ? ok(ownerKeyToWire(revoked.value)) : revoked);
  });

  app.post("/api/keys/self-test", async (request, reply) => {
    if (callerOf(request).kind !== "terminal") return context.refuse(reply, { code: "terminal_only" });
    return answer(reply, ok(reportBody(await keys.report(TERMINAL))));
  });
}

function reportBody({ vault, offRecord, signing }: KeysReport) {
  return {
    vault: { backend: vault.backend, opens_with: vault.opensWith, state: vault.state },
    off_record: offRecord,
    signing: signing.state === "ready" ? { state: "ready", key_id: signing.keyId } : signing,
  };
}
