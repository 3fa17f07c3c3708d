import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { err, ok, type Result } from "#base";
import {
  beginDeviceKeySchema,
  confirmDeviceSchema,
  offerDeviceKeySchema,
  ownerKeyToWire,
  type DeviceKeyBody,
  type DeviceKeyState,
  type DeviceWaitingBody,
  type WaitingDevice,
  type WaitingDeviceBody,
} from "#model";
import type { Caller } from "../device-sessions.ts";
import type { Refusal } from "../refusals.ts";
import { readJsonBody, type BodySchema } from "../request-body.ts";
import { callerOf, type WebContext } from "../web-context.ts";

/**
 * How a browser gets a key of its own. The session is that of the connection: no body can name another. Only the
 * terminal sees what waits and makes it count. [T6]
 */
export function addDeviceKeyRoutes(app: FastifyInstance, context: WebContext): void {
  const { deviceKeys } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);
  const readFrom = async <T>(
    request: FastifyRequest,
    { kind, schema }: { readonly kind: "device" | "terminal"; readonly schema: BodySchema<T> },
  ): Promise<Result<T, Refusal>> => {
    const caller = callerOf(request);
    if (caller.kind !== kind) return notAllowed(kind);
    return readJsonBody(request.raw, { schema, timers: context.timers });
  };

  app.post("/api/keys/devices/begin", async (request, reply) => {
    const body = await readFrom(request, { kind: "device", schema: beginDeviceKeySchema });
    if (!body.ok) return answer(reply, body);
    const { challenge, expiresAt } = deviceKeys.begin(callerOf(request).sessionId);
    return answer(reply, ok({ challenge, expires_at: expiresAt }));
  });

  app.post("/api/keys/devices", async (request, reply) => {
    const body = await readFrom(request, { kind: "device", schema: offerDeviceKeySchema });
    if (!body.ok) return answer(reply, body);
    const { sessionId, deviceName } = callerOf(request);
    // Each offer is an entry of the chain; a page that offers without end must not fill it.
    const rate = context.limits.enrolment.take(`device key ${sessionId}`);
    if (!rate.allowed) return answer(reply, err({ code: "rate_limited", retry_after_ms: rate.retryAfterMs }));
    const { public_key: publicKey, ...offer } = body.value;
    const offered = await deviceKeys.offer({ ...offer, publicKey, sessionId, deviceName });
    return answer(reply, offered.ok ? ok(waitingBody(offered.value)) : offered);
  });

  app.get("/api/keys/devices/current", async (request, reply) => {
    const { kind, sessionId } = callerOf(request);
    const state = kind === "device" ? await deviceKeys.current(sessionId) : notAllowed("device");
    return answer(reply, state.ok ? ok(stateBody(state.value)) : state);
  });

  app.get("/api/keys/devices/waiting", async (request, reply) => {
    if (callerOf(request).kind !== "terminal") return answer(reply, notAllowed("terminal"));
    return answer(reply, ok({ waiting: deviceKeys.waiting().map(terminalBody) }));
  });

  app.post("/api/keys/devices/confirm", async (request, reply) => {
    const body = await readFrom(request, { kind: "terminal", schema: confirmDeviceSchema });
    const confirmed = body.ok ? await deviceKeys.confirm(body.value.code, { kind: "terminal" }) : body;
    return answer(reply, confirmed.ok ? ok(ownerKeyToWire(confirmed.value)) : confirmed);
  });
}

const notAllowed = (kind: Extract<Caller["kind"], "device" | "terminal">) =>
  err({ code: kind === "device" ? "device_only" : "terminal_only" } as const);

const waitingBody = ({ enrolmentId, nonce, code, expiresAt }: WaitingDevice): DeviceWaitingBody => ({
  enrolment_id: enrolmentId,
  nonce,
  code,
  expires_at: expiresAt,
});

const terminalBody = (device: WaitingDevice): WaitingDeviceBody => ({
  enrolment_id: device.enrolmentId,
  name: device.name,
  code: device.code,
  public_key: device.publicKey,
  session_id: device.sessionId,
  device_name: device.deviceName,
  expires_at: device.expiresAt,
});

const stateBody = ({ state, key, enrolment }: DeviceKeyState): DeviceKeyBody => ({
  state,
  key: key === null ? null : ownerKeyToWire(key),
  enrolment: enrolment === null ? null : { ...waitingBody(enrolment), public_key: enrolment.publicKey },
});
