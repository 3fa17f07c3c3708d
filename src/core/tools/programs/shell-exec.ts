import { commandLine, group, required } from "#model";
import { defineTool } from "../tool.ts";

export const shellExec = defineTool({
  name: "shell_exec",
  origin: "core",
  version: 1,
  description:
    "Runs one program with its arguments in the workspace. Use it for programs that are installed, such as test runners and compilers. No shell reads the words: pipes, redirections, variables and && have no effect.",
  output: "Returns what the program printed, and fails when it ends with another code than 0.",
  input: group({ argv: required(commandLine(), "The program, then its arguments, one word each.") }),
  effect: "run",
  offeredTo: ["plan", "executor"],
  repeatable: "never",
  shown: ({ argv }) => argv,
  subject: ({ argv }) => argv.join(" "),
  program: ({ argv }) => ({ argv, stdin: null }),
});
