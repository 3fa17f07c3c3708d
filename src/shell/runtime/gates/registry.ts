import type { Gate, GateProblem, WorkItem } from "#model";
import { judgeGates, judgePlanGates, SHIPPED_VALIDATORS, type GateRegistry } from "#policy";
import type { GateProvider } from "#ports";
import { splitCommand } from "#work";
import { patternProblem } from "./linear-patterns.ts";
import {
  createCustomProvider,
  createGuardrailProvider,
  createPredicateProvider,
  type GateCallables,
  type Validators,
} from "./providers.ts";
import { createScriptProvider, type ScriptParts } from "./script-provider.ts";

/** What gates are checked with: by default what ships with Silas. `llm` has no provider yet. */
export type GateMeans = { readonly validators: Validators; readonly callables: GateCallables };

export const SHIPPED_MEANS: GateMeans = { validators: SHIPPED_VALIDATORS, callables: {} };

export type GateProviders = ReadonlyMap<string, GateProvider>;

export function createProviders(means: GateMeans, place: ScriptParts): GateProviders {
  return new Map([
    ["predicate", createPredicateProvider(place)],
    ["script", createScriptProvider(place)],
    ["guardrails_ai", createGuardrailProvider(means.validators)],
    ["custom", createCustomProvider(means.callables)],
  ]);
}

/** The same means as facts, for judging a gate before it is ever asked. Nothing is built for it. */
function registryOf({ validators, callables }: GateMeans): GateRegistry {
  const names: { readonly [provider: string]: readonly string[] } = {
    guardrails_ai: Object.keys(validators),
    custom: Object.keys(callables),
  };
  return {
    providers: ["predicate", "script", ...Object.keys(names)],
    commandProblem(command) {
      const words = splitCommand(command);
      return words.ok ? null : "it does not split into a program and its arguments";
    },
    checksOf: (provider) => names[provider] ?? null,
    configProblem({ provider, check, config }) {
      const kind = provider === "guardrails_ai" && check !== null ? validators[check] : undefined;
      return kind === undefined ? null : kind.configProblem(config);
    },
    patternProblem,
  };
}

/** What is wrong with gates of the configuration. */
export const systemGateProblems = (gates: readonly Gate[], means = SHIPPED_MEANS): readonly GateProblem[] =>
  judgeGates(gates, registryOf(means));

/** What is wrong with the gates of a plan, and with the patterns of its checks. */
export const planGateProblems = (item: WorkItem, means = SHIPPED_MEANS): readonly GateProblem[] =>
  judgePlanGates(item, registryOf(means));
