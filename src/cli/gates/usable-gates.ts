import { oneLine } from "#base";
import { formatOrigin, type LoadedConfig, type Origin } from "#config";
import { gateProblemWords, type GateProblem } from "#model";
import { CommandFailure } from "../terminal/failure.ts";

/** What is wrong with the gates of a configuration that is otherwise in order, each with its place. */
type PlacedProblem = GateProblem & { readonly key: string; readonly origin: Origin; readonly message: string };

export async function findGateProblems(setup: LoadedConfig): Promise<readonly PlacedProblem[]> {
  // Loaded on use: most commands never ask a gate.
  const { systemGateProblems } = await import("#runtime");
  return systemGateProblems(setup.config.gates.system).map((problem) => {
    const key = ["gates", "system", ...problem.path].join(".");
    const origin = setup.placeOf(key) ?? { kind: "default" };
    return { ...problem, key, origin, message: oneLine(`${placeWords(origin)} ${key}: ${gateProblemWords(problem)}`) };
  });
}

export const placeWords = (origin: Origin): string =>
  origin.kind === "file" ? `${formatOrigin(origin)}:${origin.column}` : formatOrigin(origin);

/** A gate that cannot be checked would block every turn; that is said before anything starts. [GATE-24] */
export async function requireUsableGates(setup: LoadedConfig): Promise<void> {
  const problems = await findGateProblems(setup);
  if (problems.length === 0) return;
  throw new CommandFailure({
    what: ["The configuration is not usable:", ...problems.map(({ message }) => `  ${message}`)].join("\n"),
    kept: "Nothing was started or changed.",
    next: "Correct the places above; `silas gates list` shows every gate.",
  });
}
