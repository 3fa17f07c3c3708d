import type { FastifyRequest } from "fastify";
import type { Acting } from "#model";
import type {
  ApprovalsDoor,
  ActivityDoor,
  ChangeFeed,
  Clock,
  ConnectionsDoor,
  DeviceKeysDoor,
  HoldDoor,
  JournalDoor,
  KeysDoor,
  PasskeysDoor,
  Log,
  MemoryDoor,
  MessagesDoor,
  Randomness,
  RefusalTally,
  ReviewFeed,
  SecretsDoor,
  SessionStore,
  SkillsDoor,
  Timers,
  TimesOf,
  RunFeed,
  WorkDoor,
} from "#ports";
import type { AllowedCallers } from "./request-guard.ts";
import type { Caller, DeviceSessions, OpenConnections } from "./device-sessions.ts";
import type { OpenSockets } from "./open-sockets.ts";
import type { RateWindow } from "./rate-window.ts";
import type { Refuse } from "./refusals.ts";

/** What the web channel needs of the world. No member is optional: a server without one of its guards cannot be built. */
export type WebServerDeps = {
  readonly journal: JournalDoor;
  readonly feed: ChangeFeed;
  readonly keys: KeysDoor;
  readonly deviceKeys: DeviceKeysDoor;
  readonly hold: HoldDoor;
  readonly approvals: ApprovalsDoor;
  readonly review: ReviewFeed;
  readonly secrets: SecretsDoor;
  readonly passkeys: PasskeysDoor;
  readonly messages: MessagesDoor;
  readonly work: WorkDoor & RunFeed & { readonly timesOf: TimesOf };
  readonly skills: SkillsDoor;
  readonly connections: ConnectionsDoor;
  readonly memory: MemoryDoor;
  readonly sessions: SessionStore;
  readonly activity: ActivityDoor;
  readonly refusals: RefusalTally;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly log: Log;
  readonly settings: WebSettings;
};

export type WebSettings = {
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** `channels.web.auth_token`; null means that only enrolled devices and the terminal are known. */
  readonly configuredToken: string | null;
  readonly terminalToken: string;
  /** `channels.web.public_url`: accepted as Host and Origin beside the loopback names. */
  readonly publicUrl: string | null;
  /** PEM texts; null serves plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Addresses whose `X-Forwarded-For` is believed; only rate limits per address read it. */
  readonly trustedProxies: readonly string[];
  readonly version: string;
  readonly dataDir: string;
  readonly ownerId: string;
  /** Folder of the built page. */
  readonly pageDir: string;
  readonly wsMessagesPerMinutePerScope: number;
  readonly wsMessagesPerMinutePerIp: number;
  readonly approvalTtlMs: number;
  readonly shutdownGraceMs: number;
};

/** The parts the routes share, built once per server. */
export type WebContext = WebServerDeps & {
  readonly refuse: Refuse;
  readonly devices: DeviceSessions;
  readonly sockets: OpenSockets;
  readonly openConnections: OpenConnections;
  readonly limits: {
    readonly enrolment: RateWindow;
    readonly requests: RateWindow;
    readonly signingTries: RateWindow;
    readonly framesPerScope: RateWindow;
    readonly framesPerAddress: RateWindow;
  };
  /** Known only once the port is; until then nothing is accepted. */
  readonly place: () => { readonly url: string; readonly callers: AllowedCallers; readonly startedAt: string };
};

const callers = new WeakMap<FastifyRequest, Caller>();

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** The authenticated caller of a guarded route; the guard ran before any such route. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error("a guarded route ran without its guard");
  return caller;
}

/** The same caller, as the audit chain names it. */
export function actorOf(request: FastifyRequest): Acting {
  const { kind, sessionId } = callerOf(request);
  return kind === "terminal" ? { kind: "terminal" } : { kind: "owner", session_id: sessionId };
}
