import { argumentWords, group, key, required, sourceText } from "#model";
import { defineTool } from "../tool.ts";
import { NODE } from "./node.ts";
import { skillScript } from "./skill-script.ts";

const MODULE = [NODE, "--input-type=module", "-"];

export const nodeExec = defineTool({
  name: "node_exec",
  origin: "core",
  version: 1,
  description:
    "Runs a JavaScript module that you write, with Node.js in the workspace. Use it to compute, convert or check something that takes a few lines of code.",
  output: "Returns what the module printed, and fails when it ends with another code than 0.",
  input: group({
    script: required(sourceText(), "The source of the module."),
    args: key(argumentWords(), { is: [], doc: "Its arguments, which it finds in process.argv." }),
  }),
  effect: "run",
  offeredTo: ["plan", "executor"],
  repeatable: "never",
  ofSkill: skillScript("node_exec"),
  shown: ({ args }) => [...MODULE, ...args],
  program: ({ script, args }) => ({ argv: [...MODULE, ...args], stdin: script }),
});
