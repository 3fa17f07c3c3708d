import { LIMITS } from "#base";
import type { AuditActor, Gate, GateContext, GateFiring, GateNote, GateOutcome, GateResult } from "#model";
import { beginFiring, closeFiring, judgeAdvice, nextGate, takeFact, withoutRecord, type GateFact } from "#policy";
import type { AuditLog, Clock, GateRunner, Timers } from "#ports";
import type { GateProviders } from "./registry.ts";

export type GateRunnerDeps = {
  /** Gates of the configuration; they are asked at every firing, before any others. */
  readonly system: readonly Gate[];
  readonly providers: GateProviders;
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly settings: { readonly evaluationsMax: number; readonly adviceMs: number };
};

/**
 * Asks the gates and does what `#policy` makes of it. Providers get frozen copies: the only way to change something is to
 * answer with it, and then the allowlist decides. INVARIANT: the outcome is known only after it is on record.
 */
export function createGateRunner(deps: GateRunnerDeps): GateRunner {
  const system = ownCopy(deps.system);
  return {
    async run(given) {
      try {
        return await fire({ ...deps, system }, given);
      } catch {
        // A firing that cannot even be read, or a mistake of ours: neither lets anything pass.
        return { ...withoutRecord(UNREAD), quality: Promise.resolve([]) };
      }
    },
    async peek(given) {
      try {
        const { notes: _notes, ...closed } = closeFiring(await judge({ ...deps, system }, ownFiring(given)));
        return closed;
      } catch {
        return withoutRecord(UNREAD);
      }
    },
  };
}

const ownFiring = (given: GateFiring) => ({
  ...given,
  context: ownCopy(given.context),
  itemGates: ownCopy(given.itemGates ?? []),
});

/** Asks one gate after the other, each about what those before it left. */
async function judge(deps: GateRunnerDeps, firing: ReturnType<typeof ownFiring>) {
  let state = beginFiring({ system: deps.system, firing, evaluationsMax: deps.settings.evaluationsMax });
  for (let gate = nextGate(state); gate !== null; gate = nextGate(state)) {
    const context = frozen(state.context);
    state = takeFact(state, await ask(deps, { gate, context, timeoutMs: timeoutOf(gate) }));
  }
  return state;
}

async function fire(deps: GateRunnerDeps, given: GateFiring): ReturnType<GateRunner["run"]> {
  const firing = ownFiring(given);
  const state = await judge(deps, firing);
  const { notes, ...closed } = closeFiring(state);
  const isRecorded = await record(deps, { notes, actor: firing.actor });
  const outcome = isRecorded ? closed : withoutRecord(closed);
  return { ...outcome, quality: advise(deps, { gates: state.quality, context: frozen(closed.context), firing }) };
}

const UNREAD: GateOutcome = {
  policy: [],
  context: {},
  verdict: "block",
  firstBlock: null,
  escalation: null,
  // No room is left in this turn for anything that comes after it.
  evaluations: Number.MAX_SAFE_INTEGER,
};

/** A script has its own limit, and as long as any other gate to be begun and cleared away. */
const timeoutOf = ({ provider }: Gate): number =>
  provider === "script" ? LIMITS.scriptGateMs + LIMITS.gateTimeoutMs : LIMITS.gateTimeoutMs;

type Question = { readonly gate: Gate; readonly context: GateContext; readonly timeoutMs: number };

/** What became of asking; never rejects, and never takes longer than it may. */
function ask({ providers, timers }: GateRunnerDeps, { gate, context, timeoutMs }: Question): Promise<GateFact> {
  const provider = providers.get(gate.provider);
  if (provider === undefined) return Promise.resolve({ kind: "missing" });
  return new Promise((resolve) => {
    const cancel = timers.after(timeoutMs, () => resolve({ kind: "timed_out" }));
    const settle = (fact: GateFact): void => {
      cancel();
      resolve(fact);
    };
    void answerOf(() => provider.check(gate, context)).then(settle);
  });
}

async function answerOf(check: () => unknown): Promise<GateFact> {
  try {
    return { kind: "answered", answer: await check() };
  } catch {
    // What a provider throws may hold what it was given; that it threw is all that is kept.
    return { kind: "failed" };
  }
}

type Record = { readonly notes: readonly GateNote[]; readonly actor: AuditActor };

async function record({ audit, clock }: GateRunnerDeps, { notes, actor }: Record): Promise<boolean> {
  try {
    for (const note of notes) {
      const appended = await audit.append({ ...note, at: clock.now(), actor });
      if (!appended.ok) return false;
    }
    return true;
  } catch {
    return false;
  }
}

type Advising = { readonly gates: readonly Gate[]; readonly context: GateContext; readonly firing: GateFiring };

/** All advice at once, under one deadline; nobody waits for it. [GATE-20] [GATE-23] */
async function advise(deps: GateRunnerDeps, { gates, context, firing }: Advising): Promise<readonly GateResult[]> {
  const { trigger, scopeId, actor } = firing;
  const advice = await Promise.all(
    gates.map(async (gate) => {
      const fact = await ask(deps, { gate, context, timeoutMs: deps.settings.adviceMs });
      return judgeAdvice(gate, { fact, trigger, scopeId });
    }),
  );
  await record(deps, { notes: advice.flatMap(({ notes }) => notes), actor });
  return advice.map(({ result }) => result);
}

const ownCopy = <T>(value: T): T => frozen(structuredClone(value));

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
