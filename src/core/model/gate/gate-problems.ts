import { oneLine } from "#base";

/** Why a gate is refused when it is loaded, before it could ever block by surprise. */
export type GateProblemCode =
  | "gate_check_missing"
  | "gate_check_unknown"
  | "gate_config_refused"
  | "gate_name_taken"
  | "gate_pattern_missing"
  | "gate_pattern_refused"
  | "gate_provider_absent"
  | "gate_step_missing"
  | "gate_type_unfit";

export type GateProblem = {
  readonly code: GateProblemCode;
  /** From the list of gates on: index, then wire names. */
  readonly path: readonly (string | number)[];
  readonly gateName: string;
  /** What it is about: the provider, the check, or what an engine said of a pattern. */
  readonly found: string;
  readonly nearest: string | null;
};

/** One sentence without its first word, as it stands behind the key: `gates.0.provider: ...`. */
export function gateProblemWords({ code, gateName, found, nearest }: Omit<GateProblem, "path">): string {
  return oneLine(SENTENCES[code]({ gateName, found, nearest }));
}

type About = Omit<GateProblem, "code" | "path">;

const SENTENCES: { readonly [C in GateProblemCode]: (about: About) => string } = {
  gate_check_missing: ({ found }) =>
    found === "script"
      ? "a gate of the provider script needs check_command, the command it runs"
      : `a gate of the provider ${found} needs check, the name of what it runs`,
  gate_check_unknown: ({ found, nearest }) =>
    `there is no check ${found}${nearest === null ? "" : `; did you mean ${nearest}?`}`,
  gate_config_refused: ({ found }) => `is not what this check takes: ${found}`,
  gate_name_taken: ({ gateName }) => `another gate is called ${gateName} already`,
  gate_pattern_missing: () => "a gate of type regex needs config.pattern",
  gate_pattern_refused: ({ found }) => `is not a pattern that runs in linear time (${found})`,
  gate_provider_absent: ({ gateName, found }) =>
    `the gate ${gateName} asks for the provider ${found}, which this version of Silas does not have; ` +
    "predicate, guardrails_ai, script and custom are there",
  gate_step_missing: () => "goes together with on: after_step, each only with the other",
  gate_type_unfit: ({ found }) => found,
};
