import { Command, CommanderError, Help, type Option } from "commander";
import { neutralise } from "#base";
import { createAct, type Act, type Define } from "./terminal/context.ts";
import { CommandFailure, EXIT, type ExitCode } from "./terminal/failure.ts";
import { createTerminal, type Outside } from "./terminal/terminal.ts";

type Noun = {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: Define }>;
};

/** Every noun of the command line. Its file is read only when the noun is used, so that `silas status` stays quick. */
const NOUNS: readonly Noun[] = [
  { name: "init", summary: "prepare the data directory", load: () => import("./start/init.ts") },
  { name: "start", summary: "start Silas and open it in the browser", load: () => import("./start/start.ts") },
  { name: "stop", summary: "stop the running Silas", load: () => import("./start/stop.ts") },
  { name: "status", summary: "say whether Silas runs, and where", load: () => import("./start/status.ts") },
  { name: "open", summary: "open the running Silas in the browser", load: () => import("./start/open.ts") },
  {
    name: "doctor",
    summary: "check the installation, with a fix for each problem",
    load: () => import("./house/doctor.ts"),
  },
  { name: "paths", summary: "show where everything is stored", load: () => import("./house/paths.ts") },
  { name: "config", summary: "read and check the configuration", load: () => import("./house/config.ts") },
  { name: "keys", summary: "your signing keys, and signatures over files", load: () => import("./keys/keys.ts") },
  { name: "secrets", summary: "put secrets into the vault, by name", load: () => import("./secrets/secrets.ts") },
  { name: "tasks", summary: "capture, list and change tasks", load: () => import("./tasks/tasks.ts") },
  { name: "journal", summary: "notes, export, import and changes", load: () => import("./journal/journal.ts") },
  { name: "time", summary: "timer and time entries", load: () => import("./journal/time.ts") },
  { name: "plan-day", summary: "pinned tasks, blocks and note of a day", load: () => import("./journal/plan-day.ts") },
  { name: "plan", summary: "check a plan file, or propose it for approval", load: () => import("./plan/plan.ts") },
  { name: "inbox", summary: "what waits for your decision", load: () => import("./approvals/inbox.ts") },
  { name: "approve", summary: "read a plan and approve it", load: () => import("./approvals/approve.ts") },
  { name: "decline", summary: "decline a plan; nothing runs", load: () => import("./approvals/decline.ts") },
  { name: "answer", summary: "answer what a step of a run asks you", load: () => import("./approvals/answer.ts") },
  {
    name: "approvals",
    summary: "list, show, export and verify approvals",
    load: () => import("./approvals/approvals.ts"),
  },
  { name: "run", summary: "approve a plan with steps and watch it run", load: () => import("./run/run.ts") },
  {
    name: "work",
    summary: "runs of approved plans: list, show, pause, resume, cancel",
    load: () => import("./work/work.ts"),
  },
  { name: "stop-all", summary: "end everything that runs; nothing begins", load: () => import("./stop/stop-all.ts") },
  {
    name: "start-again",
    summary: "let work begin again after stop-all",
    load: () => import("./stop/start-again.ts"),
  },
  {
    name: "tidy",
    summary: "move the files of a folder into folders, with undo",
    load: () => import("./batches/tidy.ts"),
  },
  { name: "timers", summary: "what is due at a time, and when", load: () => import("./timers/timers.ts") },
  { name: "goals", summary: "goals that are checked on schedule", load: () => import("./goals/goals.ts") },
  {
    name: "memory",
    summary: "what is remembered: add, search, verify, forget",
    load: () => import("./memory/memory.ts"),
  },
  { name: "skills", summary: "check, install and list skills", load: () => import("./skills/skills.ts") },
  {
    name: "connections",
    summary: "services Silas may use: connect, look at, remove",
    load: () => import("./connections/connections.ts"),
  },
  {
    name: "autonomy",
    summary: "limits of what happens without asking, and what argues for them",
    load: () => import("./autonomy/autonomy.ts"),
  },
  { name: "gates", summary: "the checks every message and reply passes", load: () => import("./gates/gates.ts") },
  {
    name: "sandbox",
    summary: "test the sandbox in which plans run programs",
    load: () => import("./sandbox/sandbox.ts"),
  },
  { name: "say", summary: "say something to Silas, signed with your key", load: () => import("./messages/say.ts") },
  {
    name: "messages",
    summary: "what was said, and how far it is trusted",
    load: () => import("./messages/messages.ts"),
  },
  { name: "models", summary: "the AI model that answers, if there is one", load: () => import("./models/models.ts") },
  { name: "rate", summary: "rate a day, a task or a session from 1 to 5", load: () => import("./journal/rate.ts") },
  { name: "categories", summary: "the categories of tasks and notes", load: () => import("./journal/categories.ts") },
  { name: "search", summary: "search everything in the journal", load: () => import("./journal/search.ts") },
  {
    name: "undo",
    summary: "take back the last change, the named one, or a batch",
    load: () => import("./journal/undo.ts"),
  },
  { name: "activity", summary: "what happened, in sentences", load: () => import("./activity/activity.ts") },
  { name: "audit", summary: "verify, show and export the audit log", load: () => import("./audit/audit.ts") },
  { name: "backup", summary: "copy the databases, or verify a copy", load: () => import("./house/backup.ts") },
  { name: "restore", summary: "put a backup back", load: () => import("./house/restore.ts") },
  { name: "logs", summary: "show the log, or one error by its id", load: () => import("./house/logs.ts") },
  {
    name: "canonical",
    summary: "print canonical JSON bytes and their digest",
    load: () => import("./canonical/canonical.ts"),
  },
  { name: "completion", summary: "print a completion script for a shell", load: () => import("./house/completion.ts") },
];

const EXIT_CODES = "Exit codes: 0 ok, 1 failed, 2 wrong use, 3 decision needed, 4 not signed in.";

/** Runs one command line and answers with its exit code. Never throws. */
export async function run(outside: Outside): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const act = createAct(outside, (finished) => (code = finished));
  const program = createProgram(outside);
  const named = nounOf(outside.argv);
  await Promise.all(
    NOUNS.map((noun) => addNoun(program, noun, noun.name === named ? { act, read: true } : { act, read: false })),
  );
  if (outside.argv.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync([...meantBy(outside.argv)], { from: "user" });
    return code;
  } catch (error) {
    return report(error, outside);
  }
}

/** The whole command tree with every verb file read; what completion scripts are generated from. */
export async function createWholeProgram(outside: Outside, act: Act): Promise<Command> {
  const program = createProgram(outside);
  for (const noun of NOUNS) await addNoun(program, noun, { act, read: true });
  return program;
}

function createProgram(outside: Outside): Command {
  const program = new Command("silas");
  program
    .description("Silas does things on your behalf, and can prove that you allowed them.")
    .version(outside.version, "-V, --version", "print the version")
    .option("--debug", "show the technical cause of an error", false)
    .option("--no-input", "never ask; end with exit code 3 where a decision is needed")
    .option("--no-color", "print without colour (NO_COLOR does the same)")
    .helpCommand("help [command]", "explain a command")
    .addHelpText("after", `\n${EXIT_CODES}`);
  prepare(program, outside);
  return program;
}

async function addNoun(
  program: Command,
  noun: Noun,
  how: { readonly act: Act; readonly read: boolean },
): Promise<void> {
  const command = program
    .command(noun.name)
    .summary(noun.summary)
    .description(`${sentence(noun.summary)}.`);
  if (how.read) (await noun.load()).define(command, how.act);
}

/** commander inherits these settings at the moment a subcommand is made, so they are set before any is. */
function prepare(program: Command, outside: Outside): void {
  program
    .exitOverride()
    .showSuggestionAfterError(true)
    .showHelpAfterError("Run the same command with --help for usage.")
    .allowExcessArguments(false)
    .configureHelp({
      helpWidth: Math.min(outside.stdout.columns || 80, 100),
      showGlobalOptions: true,
      minWidthToWrap: 20,
      visibleGlobalOptions: globalOptions,
      optionDescription: describeOption,
    })
    .configureOutput({
      writeOut: (text) => void outside.stdout.write(text),
      writeErr: (text) => void outside.stderr.write(text),
      outputError: (text, write) => write(neutralise(text.replace(/^error: /, ""))),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

const plainHelp = new Help();

/** Without what the command has itself, as a verb of a noun that can be used alone does. */
function globalOptions(command: Command): Option[] {
  const own = new Set(command.options.map(({ long }) => long));
  plainHelp.showGlobalOptions = true;
  return plainHelp.visibleGlobalOptions(command).filter(({ long }) => !own.has(long));
}

/** That a flag is off and a list is empty unless it is given needs no words. */
function describeOption(option: Option): string {
  const isNothing = option.defaultValue === false || Array.isArray(option.defaultValue);
  return isNothing ? option.description : plainHelp.optionDescription(option);
}

/** The noun a command line is about: its first word that is no flag (`help tasks` is about tasks). */
function nounOf(argv: readonly string[]): string | undefined {
  const words = argv.filter((word) => !word.startsWith("-"));
  return words[0] === "help" ? words[1] : words[0];
}

/** Asked to explain what there is not, commander shows everything and says nothing of the mistake; without the word it does. */
function meantBy(argv: readonly string[]): readonly string[] {
  const [word, about] = argv;
  const isKnown = about === undefined || about.startsWith("-") || NOUNS.some(({ name }) => name === about);
  return word === "help" && !isKnown ? argv.slice(1) : argv;
}

function report(error: unknown, outside: Outside): ExitCode {
  const debug = outside.argv.includes("--debug");
  const terminal = createTerminal(outside, { debug, input: false, color: false, colour: "never" });
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CommandFailure) {
    terminal.fail(debug ? { ...error.words, cause: error.words.cause ?? error } : error.words);
    return error.exit;
  }
  terminal.fail({
    what: `Silas made a mistake of its own: ${error instanceof Error ? error.message : String(error)}`,
    kept: "What was stored before this command is as it was.",
    next: "Run it again with --debug to see where; `silas doctor` checks the installation.",
    cause: error,
  });
  return EXIT.failed;
}

const sentence = (summary: string): string => summary.charAt(0).toUpperCase() + summary.slice(1);
