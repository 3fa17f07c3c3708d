import { nearest } from "#base";
import type { Gate, GateProblem, GateProblemCode, WorkItem } from "#model";
import { isSize } from "./file-valid.ts";
import { isNormalisable } from "./normalise.ts";

/** What is there to check with. Facts of the installation; membership in them is judged here. */
export type GateRegistry = {
  readonly providers: readonly string[];
  /** Names of the checks of a provider that has names; null for one that has none. */
  readonly checksOf: (provider: string) => readonly string[] | null;
  /** What is wrong with the parameters of a check; null when nothing is. */
  readonly configProblem: (gate: Gate) => string | null;
  /** Why a command line cannot be run; null when it can. */
  readonly commandProblem: (command: string) => string | null;
  /** Why a pattern cannot be run; null when it can. */
  readonly patternProblem: (pattern: string) => string | null;
};

type Found = {
  readonly code: GateProblemCode;
  readonly at: readonly string[];
  readonly found?: string;
  readonly nearest?: string | null;
};

/** Everything that would make a gate of this list block always, or never be asked. [GATE-02] [GATE-24] */
export function judgeGates(gates: readonly Gate[], registry: GateRegistry): readonly GateProblem[] {
  return gates.flatMap((gate, index) => {
    const isTaken = gates.findIndex(({ name }) => name === gate.name) < index;
    const found: readonly Found[] = [
      ...(isTaken ? [{ code: "gate_name_taken", at: ["name"] } as const] : []),
      ...stepProblems(gate),
      ...providerProblems(gate, registry),
    ];
    return found.map(({ code, at, found: about = "", nearest: meant = null }) => ({
      code,
      path: [index, ...at],
      gateName: gate.name,
      found: about,
      nearest: meant,
    }));
  });
}

function stepProblems({ on, afterStep }: Gate): readonly Found[] {
  return (on === "after_step") === (afterStep !== null) ? [] : [{ code: "gate_step_missing", at: ["after_step"] }];
}

function providerProblems(gate: Gate, registry: GateRegistry): readonly Found[] {
  const { provider, check } = gate;
  if (!registry.providers.includes(provider))
    return [{ code: "gate_provider_absent", at: ["provider"], found: provider }];
  if (provider === "predicate") return predicateProblems(gate, registry);
  if (provider === "script") return scriptProblems(gate, registry);
  const names = registry.checksOf(provider) ?? [];
  if (check === null) return [{ code: "gate_check_missing", at: ["check"], found: provider }];
  if (!names.includes(check)) {
    return [{ code: "gate_check_unknown", at: ["check"], found: check, nearest: nearest(check, names) }];
  }
  const wrong = registry.configProblem(gate);
  return wrong === null ? [] : [{ code: "gate_config_refused", at: ["config"], found: wrong }];
}

function predicateProblems(gate: Gate, registry: GateRegistry): readonly Found[] {
  const { type, config, extract } = gate;
  if (!isNormalisable(gate)) return [{ code: "gate_config_refused", at: ["config"], found: NORMALISE }];
  if (type === "custom_check")
    return [{ code: "gate_type_unfit", at: ["type"], found: "custom_check needs provider: custom" }];
  if (type === "file_valid") {
    if (extract === null)
      return [
        { code: "gate_type_unfit", at: ["extract"], found: "file_valid needs extract, the variable with the path" },
      ];
    const size = Object.hasOwn(config, "max_size_bytes") ? config["max_size_bytes"] : 0;
    return isSize(size)
      ? []
      : [{ code: "gate_config_refused", at: ["config"], found: "max_size_bytes is a whole number" }];
  }
  return type === "regex" ? patternProblems(config["pattern"], registry) : [];
}

/** A script needs its command; what it extracts is then judged as the predicate provider judges. [SCRIPT-09] */
function scriptProblems(gate: Gate, registry: GateRegistry): readonly Found[] {
  const { checkCommand, extract, type } = gate;
  if (checkCommand === null) {
    return [{ code: "gate_check_missing", at: ["check_command"], found: "script" }];
  }
  const wrong = registry.commandProblem(checkCommand);
  if (wrong !== null) return [{ code: "gate_config_refused", at: ["check_command"], found: wrong }];
  if (extract === null) return [];
  if (type === "custom_check" || type === "file_valid") {
    return [{ code: "gate_type_unfit", at: ["type"], found: `${type} cannot judge a value that a script prints` }];
  }
  return predicateProblems(gate, registry);
}

const NORMALISE =
  "normalise takes clamp with min and max (numeric_range), trim and lower (string_match, regex) or keep_allowed " +
  "(string_match), for something that can be rewritten";

function patternProblems(pattern: unknown, { patternProblem }: GateRegistry): readonly Found[] {
  if (typeof pattern !== "string" || pattern === "") return [{ code: "gate_pattern_missing", at: ["config"] }];
  const wrong = patternProblem(pattern);
  return wrong === null ? [] : [{ code: "gate_pattern_refused", at: ["config", "pattern"], found: wrong }];
}

/** The same for a whole plan, and for the patterns of its checks: they are run by the same engine. */
export function judgePlanGates({ gates, verify }: WorkItem, registry: GateRegistry): readonly GateProblem[] {
  const patterns = [
    ...verify.map(({ name, expect }, index) => ({
      name,
      regex: expect.regex,
      path: ["verify", index, "expect", "regex"],
    })),
    ...gates.map(({ name, checkExpect }, index) => ({
      name,
      regex: checkExpect?.regex ?? null,
      path: ["gates", index, "check_expect", "regex"],
    })),
  ];
  return [
    ...judgeGates(gates, registry).map((problem) => ({ ...problem, path: ["gates", ...problem.path] })),
    ...patterns.flatMap(({ name, regex, path }): readonly GateProblem[] => {
      const wrong = regex === null ? null : registry.patternProblem(regex);
      return wrong === null
        ? []
        : [{ code: "gate_pattern_refused", path, gateName: name, found: wrong, nearest: null }];
    }),
  ];
}
