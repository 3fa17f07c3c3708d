import { err, ok, type Result } from "#base";
import type { TimerOwner, TimerTable } from "#engine";
import {
  readPayload,
  readsOnly,
  type AuditActor,
  type ConnectionView,
  type KeptRequest,
  type StepResponse,
  type StoreFault,
} from "#model";
import {
  createMutex,
  type ConnectionActRefusal,
  type ConnectionsDoor,
  type ConnectionStore,
  type KeptConnection,
  type Recovery,
  type Sandboxes,
  type SandboxSpace,
  type SecureInputStore,
} from "#ports";
import { cardOfStep, itRequestPlan, recoveryOptions, retryMinutes } from "#work";
import { holdsApproval } from "../keys/signed-request.ts";
import { askAgain, askToConnect } from "./connect.ts";
import { draftFor, type ConnectionDeps } from "./deps.ts";
import { createLentSecrets, type LentSecrets } from "./lent.ts";
import { createRounds, type Rounds } from "./rounds.ts";
import { refOf } from "./run-script.ts";
import { removeSecrets } from "./secrets-of.ts";
import { endInterrupted, endSetup, settleSetup } from "./settle-setup.ts";
import { beginSetup, loadApproved, type LiveSetup, type SetupEnd } from "./setup.ts";
import { createConnectionUses, type ConnectionUses } from "./uses.ts";
import { viewConnection } from "./view-connection.ts";
import { beginWidening, endWidening, settleWidening } from "./widen.ts";

export type Connections = ConnectionsDoor & {
  /** Begins what was approved; `busy` while another sign-in of the same connection goes on. */
  settle(decision: KeptRequest): Promise<Result<"begun" | "busy", StoreFault>>;
  /** Ends the setups of a dead process, and looks after what is connected from now on; `onFree` hears of each end. */
  start(onFree: () => void): Promise<void>;
  close(): Promise<void>;
  /** How the steps of runs use them. */
  readonly uses: ConnectionUses;
  readonly timed: TimerOwner;
};

type ConnectionParts = Omit<ConnectionDeps, "store" | "inputs" | "isClosing" | "timerTable"> & {
  readonly stores: {
    readonly connections: ConnectionStore;
    readonly secureInputs: SecureInputStore;
    readonly timers: TimerTable;
  };
};

type Live = { readonly setup: LiveSetup; readonly over: Promise<void> };
type Desk = {
  readonly deps: ConnectionDeps;
  readonly live: Map<string, Live>;
  readonly rounds: Rounds;
  readonly lent: LentSecrets;
  /** Setups that end because Silas does, and not because somebody said so. */
  readonly interrupted: Set<string>;
  /** Once a setup is over: what waited for it has its turn. */
  readonly onOver: () => void;
};

/** Connections of the owner: asked about, set up, looked after and repaired. It knows no service: skills do. [CONN-08] */
export function createConnections({ stores, ...parts }: ConnectionParts): Connections {
  const { sandboxes, endAll, isClosing } = endable(parts.sandboxes);
  const kept = { store: stores.connections, inputs: stores.secureInputs, timerTable: stores.timers };
  const deps: ConnectionDeps = { ...parts, ...kept, sandboxes, isClosing };
  const live = new Map<string, Live>();
  const rounds = createRounds(deps);
  const lent = createLentSecrets(deps);
  const interrupted = new Set<string>();
  let onFree: (() => void) | null = null;
  const desk: Desk = { deps, live, rounds, lent, interrupted, onOver: () => onFree?.() };
  // No connection has two sign-ins at once.
  const inTurn = createMutex();
  return {
    ...createDoor(desk),
    uses: createConnectionUses(deps, lent),
    timed: rounds.timed,
    settle: (decision) => inTurn(() => settleDecision(desk, decision)),
    async start(listener) {
      await forgetInterrupted(deps);
      onFree = listener;
      void rounds.start().catch((cause: unknown) => deps.log.error("connection_look_broken", { cause }));
    },
    async close() {
      onFree = null;
      await inTurn(async () => undefined);
      for (const [connectionId, { setup }] of live) {
        interrupted.add(connectionId);
        setup.cancel();
      }
      await Promise.all([...live.values()].map(({ over }) => over));
      endAll();
      lent.close();
      await rounds.close();
    },
  };
}

/** The same sandboxes, whose runs end when Silas does: a look is not waited for. */
function endable(sandboxes: Sandboxes) {
  const open = new Set<SandboxSpace>();
  let isClosing = false;
  const opening: Sandboxes["open"] = async (config) => {
    if (isClosing) return err({ code: "sandbox_closed" });
    const opened = await sandboxes.open(config);
    if (!opened.ok) return opened;
    const space = opened.value;
    open.add(space);
    const close = (): Promise<void> => (open.delete(space), space.close());
    return ok({ ...space, close });
  };
  const endAll = (): void => {
    isClosing = true;
    for (const space of open) void space.close();
  };
  return { sandboxes: { ...sandboxes, open: opening }, endAll, isClosing: () => isClosing };
}

function createDoor(desk: Desk): ConnectionsDoor {
  const { deps, live, rounds } = desk;
  const after = async (id: string): Promise<Result<ConnectionView, ConnectionActRefusal>> => {
    const found = await find(deps, id);
    return found.ok ? ok(await viewOf(desk, found.value)) : found;
  };
  return {
    list: async (domain) => {
      const listed = await deps.store.list();
      if (!listed.ok) return listed;
      const wanted = listed.value.filter(({ record }) => domain === undefined || record.domain === domain);
      return ok(await Promise.all(wanted.map((one) => viewOf(desk, one))));
    },
    show: async (id) => {
      const found = await find(deps, id);
      return found.ok ? ok(await viewOf(desk, found.value)) : found;
    },
    connect: (wanted) => askToConnect(deps, wanted),
    answer: async (id, response) => {
      const answered = await answer(desk, { id, response });
      return answered.ok ? after(id) : answered;
    },
    cancel: async (id) => {
      const found = await find(deps, id);
      if (!found.ok) return found;
      await end(desk, id);
      return after(id);
    },
    check: async (id) => {
      const found = await find(deps, id);
      if (!found.ok) return found;
      const { status } = found.value.record;
      if (live.has(id) || (status !== "active" && status !== "failed"))
        return err({ code: "connection_busy", connectionId: id, status });
      if (found.value.registeredAt === null) return err({ code: "connection_busy", connectionId: id, status });
      await rounds.lookNow(found.value);
      return after(id);
    },
    recover: async (id, by) => {
      const found = await find(deps, id);
      if (!found.ok) return found;
      const done = await recover(desk, { of: found.value, by });
      return done.ok ? after(id) : done;
    },
    remove: (id, actor) => remove(desk, { id, actor }),
  };
}

type Answering = { readonly id: string; readonly response: StepResponse };

async function answer(desk: Desk, { id, response }: Answering): Promise<Result<void, ConnectionActRefusal>> {
  const found = await find(desk.deps, id);
  if (!found.ok) return found;
  const { step_id: stepId, action } = response;
  if (action === "cancel") {
    await end(desk, id);
    return ok();
  }
  const setup = desk.live.get(id)?.setup;
  const shown = setup?.shown() ?? null;
  if (shown?.stepId !== stepId) return err({ code: "step_not_shown", stepId });
  // Only what the card offers: a script need not know what to do with anything else. [FLOW-20]
  const { ctas } = cardOfStep(shown.step, {
    service: found.value.service,
    vaultRefOf: (name) => refOf(found.value, name),
    isWider: found.value.widens !== null,
  });
  if (!ctas.some((cta) => cta.action === action)) return err({ code: "recovery_unknown", action });
  return setup?.answer(stepId, { action }) === true ? ok() : err({ code: "step_not_shown", stepId });
}

/** Ends the setup of a connection, if one goes on; answers when nothing of it is left. */
async function end({ live }: Desk, id: string): Promise<void> {
  const going = live.get(id);
  going?.setup.cancel();
  await going?.over;
}

type Removing = { readonly id: string; readonly actor: AuditActor };

async function remove(desk: Desk, { id, actor }: Removing): Promise<Result<void, ConnectionActRefusal>> {
  const { deps } = desk;
  const found = await find(deps, id);
  if (!found.ok) return found;
  await end(desk, id);
  const gone = await removeSecrets(deps, found.value);
  if (!gone.ok) return gone;
  const draft = draftFor(deps, { of: found.value, event: "connection_removed", data: {}, actor });
  const removed = await deps.store.remove(id, draft);
  if (removed.ok) desk.rounds.forget(id);
  deps.review.changed();
  return removed.ok ? ok() : removed;
}

async function find(
  { store }: ConnectionDeps,
  connectionId: string,
): Promise<Result<KeptConnection, ConnectionActRefusal & (StoreFault | { readonly code: "connection_unknown" })>> {
  const found = await store.find(connectionId);
  if (!found.ok) return found;
  return found.value === null ? err({ code: "connection_unknown", connectionId }) : ok(found.value);
}

const viewOf = ({ deps, live }: Desk, of: KeptConnection): Promise<ConnectionView> =>
  viewConnection(deps, { of, shown: live.get(of.record.connectionId)?.setup.shown() ?? null });

type Recovering = { readonly of: KeptConnection; readonly by: Recovery };

/** Only what the card offers, and a new sign-in only by a new approval. [RECOV-01] */
async function recover({ deps, rounds }: Desk, { of, by }: Recovering): Promise<Result<void, ConnectionActRefusal>> {
  const { failure, attempts } = of;
  const attemptsMax = deps.config.connections.recoveryMaxAttempts;
  const offered = failure === null ? [] : recoveryOptions({ failure, attempts, attemptsMax });
  if (failure === null || !offered.some(({ action }) => action === by.action))
    return err({ code: "recovery_unknown", action: by.action });
  const { connectionId } = of.record;
  const tried = { ...of, attempts: attempts + 1 };
  // What never worked has nothing to be looked at: trying again is asking again.
  const isAskedAgain = of.registeredAt === null && WAITS.has(by.action);
  switch (isAskedAgain ? "retry" : by.action) {
    case "skip":
      return deps.store.keep({ ...of, failure: null }, null);
    case "retry_in":
      await rounds.lookIn(connectionId, retryMinutes(failure) * 60_000);
      return deps.store.keep({ ...tried, failure: null }, null);
    case "retry_later":
      await rounds.lookIn(connectionId, RETRY_LATER_MS);
      return deps.store.keep({ ...tried, failure: null }, null);
    case "draft_it_request": {
      const loaded = await loadApproved(deps, of);
      if (!loaded.ok) return err({ code: "recovery_unknown", action: by.action });
      const plan = itRequestPlan({ record: of.record, manifest: loaded.value.manifest });
      const proposed = await deps.proposals.propose(plan, by.actor);
      return proposed.ok ? ok() : proposed;
    }
    default: {
      const permissions =
        by.action === "retry_fewer_permissions" ? of.record.initialPermissions.filter(readsOnly) : null;
      const hint = by.action === "use_personal_account" ? { ...of.hint, domain: null } : of.hint;
      const asked = await askAgain(deps, { of: tried, hint, permissions, actor: by.actor });
      return asked.ok ? ok() : asked;
    }
  }
}

const WAITS: ReadonlySet<string> = new Set(["retry_in", "retry_later"]);
const RETRY_LATER_MS = 1_800_000;

/**
 * A setup that a dead Silas had begun is over: its script died with it, and what it had put away goes too. Its card says
 * that it was interrupted, and asks whether to begin anew. [SETUP-16] [CARD-17]
 */
async function forgetInterrupted(deps: ConnectionDeps): Promise<void> {
  const listed = await deps.store.list();
  for (const of of listed.ok ? listed.value : []) {
    if (of.record.status !== "connecting" && of.widens === null) continue;
    const ended = await (of.widens === null
      ? endInterrupted(deps, of)
      : endWidening(deps, { of, requestId: of.widens, reason: "interrupted" }));
    if (!ended.ok) deps.log.error("connection_not_kept", ended.error);
  }
}

type Begun = Result<"begun" | "busy", StoreFault>;

/** What cannot be begun has ended, and says why on its card. */
const settleDecision = (desk: Desk, request: KeptRequest): Promise<Begun> =>
  request.kind === "connection_setup" ? settleOne(desk, request) : widenOne(desk, request);

/** The decision is the truth, kept with its signature and its one use; it begins one setup and no second. [SETUP-09] */
async function settleOne(desk: Desk, request: KeptRequest): Promise<Begun> {
  const { deps, live } = desk;
  const read = readPayload("connection_setup", request.projection);
  if (!read.ok || read.value.payload.kind !== "connection_setup" || request.tokenId === null) return ok("begun");
  const { payload, subjectId } = read.value;
  if (live.has(payload.connection_id)) return ok("busy");
  const found = await deps.store.find(payload.connection_id);
  if (!found.ok) return found;
  if (found.value === null) return ok("begun");
  const approved = await holdsApproval(deps, { request, subjectId });
  if (!approved.ok) return approved;
  const record = { ...found.value.record, authStrategy: payload.auth_strategy, status: "connecting" as const };
  const of = { ...found.value, record, treeDigest: payload.tree_digest, requestId: request.requestId, failure: null };
  const data = { request_id: request.requestId, token_id: request.tokenId };
  const draft = draftFor(deps, { of, event: "connection_setup_begun", data });
  const begun = await deps.store.begin(request.requestId, of, draft);
  if (!begun.ok) return begun;
  if (!begun.value) return ok("begun");
  const loaded = approved.value ? await loadApproved(deps, of) : err("its approval does not hold");
  if (!loaded.ok) {
    const failure = {
      failure_type: "unknown" as const,
      service: of.service,
      message: `It was not begun: ${loaded.error}.`,
      recovery_options: [],
    };
    const ended = await endSetup(deps, { of, reason: "not_begun", failure });
    if (!ended.ok) deps.log.error("connection_not_kept", ended.error);
    return ok("begun");
  }
  const order = { of, ...loaded.value, hint: payload.identity_hint, permissions: payload.permissions, incremental: [] };
  const setup = beginSetup(deps, order);
  const settle: Following["settle"] = (ended) =>
    ended.kind === "cancelled" && desk.interrupted.has(payload.connection_id)
      ? endInterrupted(deps, of)
      : settleSetup(deps, { order, end: ended });
  follow(desk, { of, setup, settle });
  return ok("begun");
}

/** A step of a run waits for it; while another sign-in of the same connection goes on it has its turn after that. */
async function widenOne(desk: Desk, request: KeptRequest): Promise<Begun> {
  const { deps, live, lent } = desk;
  const read = readPayload("permission_escalation", request.projection);
  const payload = read.ok && read.value.payload.kind === "permission_escalation" ? read.value.payload : null;
  if (payload === null) return ok("begun");
  if (live.has(payload.connection_id)) return ok("busy");
  const begun = await beginWidening(deps, request);
  if (!begun.ok) return begun;
  if (begun.value === null) return ok("begun");
  const { widening, setup } = begun.value;
  follow(desk, {
    of: widening.order.of,
    setup,
    settle: (ended) => settleWidening(deps, { widening, end: ended, lent }),
  });
  return ok("begun");
}

type Following = {
  readonly of: KeptConnection;
  readonly setup: LiveSetup;
  readonly settle: (end: SetupEnd) => Promise<Result<void, StoreFault>>;
};

function follow(desk: Desk, following: Following): void {
  const over = keepEnd(desk, following);
  desk.live.set(following.of.record.connectionId, { setup: following.setup, over });
}

async function keepEnd({ deps, live, rounds, onOver }: Desk, { of, setup, settle }: Following): Promise<void> {
  const { connectionId } = of.record;
  const unsubscribe = deps.review.onChanged(() => void setup.look());
  try {
    const settled = await settle(await setup.ended);
    if (!settled.ok) deps.log.error("connection_not_kept", settled.error);
  } catch (cause) {
    deps.log.error("connection_setup_broken", { cause });
  }
  unsubscribe();
  live.delete(connectionId);
  await rounds.lookIn(connectionId, FIRST_LOOK_MS);
  deps.review.changed();
  onOver();
}

/** Soon after it is connected it is looked at, which says when it is to be renewed. [SETUP-15] */
const FIRST_LOOK_MS = 60_000;
