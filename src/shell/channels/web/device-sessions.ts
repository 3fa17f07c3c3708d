import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { assert, err, instantFromMs, LIMITS, msOfInstant, ok, uuidV7, type Instant, type Result } from "#base";
import type { EnrolRequest, EnrolResponse, StoreFault } from "#model";
import type { Clock, Randomness, Session, SessionStore, Timers } from "#ports";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto");

/** Who calls: always the owner today, from a browser device, the terminal, or with the configured token. */
export type Caller = {
  readonly kind: "device" | "terminal" | "configured";
  readonly sessionId: string;
  readonly scopeId: "owner";
  readonly deviceName: string;
  readonly createdAt: Instant;
  readonly lastSeenAt: Instant;
};

type Unauthorized = { readonly code: "unauthorized" };
type EnrolmentInvalid = { readonly code: "enrolment_invalid" };

export interface DeviceSessions {
  authenticate(token: string): Promise<Result<Caller, Unauthorized | StoreFault>>;
  /** A code that enrols one device, once, within ten minutes. */
  createCode(): { readonly code: string; readonly expiresAt: Instant };
  enrol(request: EnrolRequest): Promise<Result<EnrolResponse, EnrolmentInvalid | StoreFault>>;
}

type DeviceSessionsDeps = {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The token that the running instance hands to the terminal through a file only the owner can read. */
  readonly terminalToken: string;
  readonly configuredToken: string | null;
};

/** Seen times are kept to the minute: a write per request would cost more than the fact is worth. */
const TOUCH_MS = 60_000;
const TOKEN_BYTES = 32;

export function createDeviceSessions(deps: DeviceSessionsDeps): DeviceSessions {
  const startedAt = deps.clock.now();
  const fixed = fixedCallers(deps, startedAt);
  const codes = new Map<string, number>();
  return {
    async authenticate(token) {
      const digest = digestOf(token);
      const known = fixed.find((each) => timingSafeEqual(each.digest, digest));
      if (known !== undefined) return ok({ ...known.caller, lastSeenAt: deps.clock.now() });
      const found = await deps.store.findByDigest(digest.toString("hex"));
      if (!found.ok) return found;
      if (found.value === null || found.value.revokedAt !== null) return err({ code: "unauthorized" });
      await touch(deps, found.value);
      return ok(callerOf(found.value));
    },
    createCode() {
      const nowMs = msOfInstant(deps.clock.now());
      dropStaleCodes(codes, nowMs);
      const code = randomToken(deps.randomness);
      codes.set(digestOf(code).toString("hex"), nowMs + LIMITS.enrolmentTtlMs);
      return { code, expiresAt: instantAt(nowMs + LIMITS.enrolmentTtlMs) };
    },
    async enrol(request) {
      const codeDigest = digestOf(request.code).toString("hex");
      const expiresMs = codes.get(codeDigest);
      // Spent before anything is awaited: of two requests with one code exactly one gets a session.
      codes.delete(codeDigest);
      if (expiresMs === undefined || expiresMs <= msOfInstant(deps.clock.now()))
        return err({ code: "enrolment_invalid" });
      const enrolled = await addSession(deps, request.device_name);
      if (!enrolled.ok) codes.set(codeDigest, expiresMs);
      return enrolled;
    },
  };
}

export function randomToken(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(TOKEN_BYTES)).toString("base64url");
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}

function fixedCallers(deps: DeviceSessionsDeps, startedAt: Instant): readonly { digest: Buffer; caller: Caller }[] {
  const common = { scopeId: "owner", createdAt: startedAt, lastSeenAt: startedAt } as const;
  const terminal: Caller = { ...common, kind: "terminal", sessionId: "terminal", deviceName: "Terminal" };
  const configured: Caller = { ...common, kind: "configured", sessionId: "configured", deviceName: "Configured token" };
  const terminalEntry = { digest: digestOf(deps.terminalToken), caller: terminal };
  if (deps.configuredToken === null) return [terminalEntry];
  return [terminalEntry, { digest: digestOf(deps.configuredToken), caller: configured }];
}

function callerOf(session: Session): Caller {
  const { sessionId, deviceName, createdAt, lastSeenAt } = session;
  return { kind: "device", scopeId: "owner", sessionId, deviceName, createdAt, lastSeenAt };
}

async function addSession(deps: DeviceSessionsDeps, deviceName: string): Promise<Result<EnrolResponse, StoreFault>> {
  const token = randomToken(deps.randomness);
  const now = deps.clock.now();
  const sessionId = uuidV7(now, deps.randomness.bytes(10));
  const added = await deps.store.add({
    sessionId,
    deviceName,
    tokenDigest: digestOf(token).toString("hex"),
    createdAt: now,
    lastSeenAt: now,
    revokedAt: null,
  });
  return added.ok ? ok({ token, session_id: sessionId }) : added;
}

/** A failed touch loses a seen time and nothing else, so it never refuses the request. */
async function touch(deps: DeviceSessionsDeps, session: Session): Promise<void> {
  const now = deps.clock.now();
  const sinceMs = msOfInstant(now) - msOfInstant(session.lastSeenAt);
  if (sinceMs >= TOUCH_MS || sinceMs < 0) await deps.store.touch(session.sessionId, now);
}

function dropStaleCodes(codes: Map<string, number>, nowMs: number): void {
  for (const [digest, expiresMs] of codes) {
    if (expiresMs <= nowMs || codes.size >= LIMITS.enrolmentCodesMax) codes.delete(digest);
  }
}

function instantAt(ms: number): Instant {
  const instant = instantFromMs(ms);
  assert(instant.ok, "a clock reading plus ten minutes is an instant");
  return instant.value;
}

/**
 * The TCP connections that are open now. INVARIANT: strangers, who have shown no token, never hold more than their
 * share. A newcomer beyond it takes the place of the stranger that has been silent longest, so whoever holds every place
 * open in silence keeps nobody out, and a connection over which a token was accepted never gives way.
 */
export interface OpenConnections {
  watch(server: Server): void;
  /** A token was accepted over this connection. */
  recognised(stream: Duplex): void;
}

export function createOpenConnections(timers: Timers): OpenConnections {
  // Insertion order is the order of the last sign of life.
  const strangers = new Map<string, Socket>();
  const add = (socket: Socket): void => {
    const name = nameOf(socket);
    if (name === null) return void socket.destroy();
    for (const [silent, oldest] of strangers) {
      if (strangers.size < LIMITS.strangersMax) break;
      strangers.delete(silent);
      oldest.destroy();
    }
    strangers.set(name, socket);
    socket.once("close", () => {
      if (strangers.get(name) === socket) strangers.delete(name);
    });
  };
  const hear = (request: IncomingMessage): void => {
    const name = nameOf(request.socket);
    const socket = name === null ? undefined : strangers.get(name);
    if (name === null || socket === undefined) return;
    strangers.delete(name);
    strangers.set(name, socket);
    const cancel = timers.after(LIMITS.strangerRequestMs, () => {
      if (!request.complete && strangers.get(name) === socket) socket.destroy();
    });
    request.once("end", cancel).once("close", cancel);
  };
  return {
    watch: (server) => void server.on("connection", add).on("request", hear),
    recognised(stream) {
      const name = nameOf(stream as Socket);
      if (name !== null) strangers.delete(name);
    },
  };
}

/** The same for the TCP connection and for TLS over it; null once it is gone. */
function nameOf({ remoteAddress, remotePort }: Socket): string | null {
  return remoteAddress === undefined ? null : `${remoteAddress} ${remotePort}`;
}
