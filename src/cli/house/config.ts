import {
  checkConfigFile,
  describeProblem,
  formatOrigin,
  isNotUsedYet,
  type ConfigEntry,
  type LoadedConfig,
} from "#config";
import type { Define, Handler } from "../terminal/context.ts";
import { EXIT, usage } from "../terminal/failure.ts";
import { noteChangedLimits } from "../autonomy/changed-limits.ts";
import { loadSetup } from "../client/setup.ts";
import { findStartProblems, startWarnings } from "../start/start-problems.ts";

type Json = { readonly json?: boolean };

export const define: Define = (config, act) => {
  config
    .command("get <key>")
    .description("Print a value, or all values under a group such as channels.web.")
    .option("--origin", "also say where it comes from")
    .option("--json", "print JSON")
    .action(act(getKey));
  config
    .command("list")
    .description("Print every key with its value.")
    .option("--origin", "also say where each comes from")
    .option("--json", "print JSON")
    .action(act(listKeys));
  config
    .command("check <file>")
    .description("Check a configuration file without using it.")
    .option("--json", "print JSON")
    .action(act(checkFile));
};

type GetOptions = Json & { readonly origin?: true };

const getKey: Handler<GetOptions> = async (call) => {
  const {
    args: [key = ""],
    options,
    terminal,
    environment,
  } = call;
  const found = loadSetup(environment).find(key);
  if (!found.ok) {
    const { nearest } = found.error;
    throw usage(
      `There is no key "${key}".`,
      nearest === null ? "`silas config list` shows all." : `Did you mean ${nearest}?`,
    );
  }
  const [first] = found.value;
  await noteChangedLimits(
    call,
    found.value.map((entry) => entry.key),
  );
  if (options.json) return terminal.json({ entries: found.value.map(wireEntry) });
  if (found.value.length === 1 && first?.key === key) {
    return terminal.line(`${show(first.value)}${options.origin ? `  (${formatOrigin(first.origin)})` : ""}`);
  }
  for (const entry of found.value) terminal.line(describeEntry(entry, options));
};

const listKeys: Handler<GetOptions> = async (call) => {
  const { options, terminal, environment } = call;
  const entries = loadSetup(environment).list();
  await noteChangedLimits(
    call,
    entries.map((entry) => entry.key),
  );
  if (options.json) return terminal.json({ entries: entries.map(wireEntry) });
  for (const entry of entries) terminal.line(describeEntry(entry, options));
};

const checkFile: Handler<Json> = async ({ args: [file = ""], options, terminal, environment }) => {
  const checked = checkConfigFile(file, environment);
  const problems = checked.ok
    ? await findStartProblems(checked.value)
    : checked.error.map((found) => ({ ...found, message: describeProblem(found) }));
  const isGood = problems.length === 0;
  const warnings = checked.ok ? startWarnings(checked.value) : [];
  const unused = checked.ok ? unusedKeys(checked.value) : [];
  if (options.json) terminal.json({ ok: isGood, problems, warnings, not_used_yet: unused });
  else if (isGood) terminal.line(`${file}: nothing to repair`);
  else for (const { message } of problems) terminal.line(message);
  if (!options.json) for (const warning of warnings) terminal.line(`Warning: ${warning}`);
  if (!options.json) for (const key of unused) terminal.line(`${key}: accepted, not used yet`);
  return isGood ? EXIT.ok : EXIT.failed;
};

/** Keys that somebody set and that change nothing in this version. */
const unusedKeys = (setup: LoadedConfig): readonly string[] =>
  setup
    .list()
    .filter(({ key, origin }) => origin.kind !== "default" && isNotUsedYet(key))
    .map(({ key }) => key);

const wireEntry = ({ key, value, origin, envName }: ConfigEntry) => ({
  key,
  value,
  origin: formatOrigin(origin),
  env: envName,
});
const show = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const describeEntry = (entry: ConfigEntry, options: GetOptions): string =>
  `${entry.key} = ${show(entry.value)}${options.origin ? `  (${formatOrigin(entry.origin)})` : ""}`;
