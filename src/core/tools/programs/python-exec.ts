import { argumentWords, group, key, required, sourceText } from "#model";
import { defineTool } from "../tool.ts";
import { skillScript } from "./skill-script.ts";

const PYTHON = ["python3", "-"];

export const pythonExec = defineTool({
  name: "python_exec",
  origin: "core",
  version: 1,
  description:
    "Runs a Python 3 program that you write, in the workspace. Use it to compute, convert or check something that takes a few lines of code.",
  output: "Returns what the program printed, and fails when it ends with another code than 0.",
  input: group({
    script: required(sourceText(), "The source of the program."),
    args: key(argumentWords(), { is: [], doc: "Its arguments, which it finds in sys.argv." }),
  }),
  effect: "run",
  offeredTo: ["plan", "executor"],
  repeatable: "never",
  ofSkill: skillScript("python_exec"),
  shown: ({ args }) => [...PYTHON, ...args],
  program: ({ script, args }) => ({ argv: [...PYTHON, ...args], stdin: script }),
});
