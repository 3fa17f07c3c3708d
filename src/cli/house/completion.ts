import { Argument, type Command } from "commander";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";

const SHELLS = ["bash", "zsh", "fish", "pwsh"] as const;
type Shell = (typeof SHELLS)[number];

export const define: Define = (completion, act) => {
  completion
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .addHelpText("after", "\nFor example:\n  silas completion bash > ~/.local/share/bash-completion/completions/silas")
    .action(act(printCompletion));
};

/** The tree is only read here; none of its actions runs. */
const nothing = () => async () => {};

const printCompletion: Handler<object> = async ({ args: [shell], terminal, outside }) => {
  const { createWholeProgram } = await import("../program.ts");
  const words = wordsByPath(await createWholeProgram(outside, nothing));
  const script = SCRIPTS[shell as Shell];
  if (script === undefined) throw new CommandFailure({ what: `There is no completion for "${shell ?? ""}".` });
  terminal.line(script(words));
};

type WordsByPath = ReadonlyMap<string, readonly string[]>;

/** For every place in the command tree the words that may follow: verbs first, then flags. */
function wordsByPath(program: Command): WordsByPath {
  const words = new Map<string, readonly string[]>();
  const visit = (command: Command, path: string) => {
    const verbs = command.commands.map((child) => child.name());
    const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
    const flags = command.options.flatMap((option) => (option.long && !option.hidden ? [option.long] : []));
    words.set(path, [...verbs, ...choices, ...flags, "--help"]);
    for (const child of command.commands) visit(child, path === "" ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, "");
  return words;
}

// Words come from our own command tree (letters, digits, hyphens), so they need no quoting in any of the shells.
const SCRIPTS: { readonly [S in Shell]: (words: WordsByPath) => string } = {
  bash: (words) => `# bash completion for silas
_silas() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) case "$path $word" in ${casesOf(words)}) path="\${path:+$path }$word" ;; esac ;; esac
  done
  local words=""
  case "$path" in
${[...words].map(([path, list]) => `    "${path}") words="${list.join(" ")}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _silas silas`,
  zsh: (words) => `#compdef silas
_silas() {
  local path="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) ;; *) case "$path $word" in ${casesOf(words)}) path="\${path:+$path }$word" ;; esac ;; esac
  done
  case "$path" in
${[...words].map(([path, list]) => `    "${path}") compadd -- ${list.join(" ")} ;;`).join("\n")}
  esac
}
if [ "$funcstack[1]" = "_silas" ]; then _silas "$@"; else compdef _silas silas; fi`,
  fish: (words) => `# fish completion for silas
function __silas_path
  set -l path ""
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and continue
    if contains -- (string trim "$path $word") ${[...words.keys()]
      .filter((path) => path !== "")
      .map((path) => `"${path}"`)
      .join(" ")}
      set path (string trim "$path $word")
    end
  end
  echo $path
end
complete -c silas -f
${[...words].map(([path, list]) => `complete -c silas -n 'test (__silas_path) = "${path}"' -a "${list.join(" ")}"`).join("\n")}`,
  pwsh: (words) => `# PowerShell completion for silas
Register-ArgumentCompleter -Native -CommandName silas -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $wordsByPath = @{
${[...words].map(([path, list]) => `    '${path}' = @(${list.map((word) => `'${word}'`).join(", ")})`).join("\n")}
  }
  $path = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    $next = ("$path " + $element.ToString()).Trim()
    if ($wordsByPath.ContainsKey($next)) { $path = $next }
  }
  $wordsByPath[$path] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`,
};

/** Shell patterns of every known path, written as "parent child", so that an operand never counts as a verb. */
function casesOf(words: WordsByPath): string {
  return [...words.keys()]
    .filter((path) => path !== "")
    .map((path) => (path.includes(" ") ? `"${path}"` : `" ${path}"`))
    .join("|");
}
