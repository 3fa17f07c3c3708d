import { oneLine } from "#base";
import { formatOrigin, type LoadedConfig, type Origin } from "#config";
import { findGateProblems, placeWords } from "../gates/usable-gates.ts";
import { CommandFailure } from "../terminal/failure.ts";

type StartProblem = {
  readonly code: string;
  readonly key: string;
  readonly origin: Origin;
  readonly message: string;
};

/**
 * Everything in a configuration that keeps `silas start` from starting, beyond the rules that keep it from loading.
 * `silas config check` asks the same, so what it lets pass is not refused later.
 */
export async function findStartProblems(setup: LoadedConfig): Promise<readonly StartProblem[]> {
  // Loaded on use: only a start and its check need the ways in.
  const { loadTls } = await import("#channels");
  const problems: StartProblem[] = [...(await findGateProblems(setup))];
  const add = (code: string, { key, words }: { readonly key: string; readonly words: string }): void => {
    const origin = setup.placeOf(key) ?? { kind: "default" };
    problems.push({ code, key, origin, message: oneLine(`${placeWords(origin)} ${key}: ${words}`) });
  };
  if (!setup.config.channels.web.enabled) {
    add("web_disabled", {
      key: "channels.web.enabled",
      words: "is false, so there is no way in that could be started",
    });
  }
  if (!(await loadTls(setup.config)).ok) {
    const words = "the certificate or its key cannot be read or used; check the two paths of channels.web.tls";
    add("tls_unreadable", { key: "channels.web.tls.cert", words });
  }
  return problems;
}

/** Said before anything starts. */
export async function requireStartable(setup: LoadedConfig): Promise<void> {
  const problems = await findStartProblems(setup);
  if (problems.length === 0) return;
  throw new CommandFailure({
    what: ["The configuration is not usable:", ...problems.map(({ message }) => `  ${message}`)].join("\n"),
    kept: "Nothing was started or changed.",
    next: "Correct the places above; `silas config check FILE` checks a file before you use it.",
  });
}

/** Warnings: Silas starts all the same, but its owner should know. */
export function startWarnings(setup: LoadedConfig): readonly string[] {
  if (setup.config.gates.system.length > 0) return [];
  const origin = setup.originOf("gates.system") ?? { kind: "default" };
  return [oneLine(`gates.system is empty (${formatOrigin(origin)}): no gate checks messages, plans or steps`)];
}
