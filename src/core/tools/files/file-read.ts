import { group, place } from "#model";
import { defineTool, reaching } from "../tool.ts";
import { fileProgram } from "./file-program.ts";

export const fileRead = defineTool({
  name: "file_read",
  origin: "core",
  version: 1,
  description: "Reads one file as text. Use it before you change a file, and to see what is in one.",
  output: "Returns the whole file, byte for byte.",
  input: group({ path: place("The file, as a path in the workspace or in a place that the plan may read.") }),
  effect: "read",
  offeredTo: ["plan", "executor"],
  repeatable: "never",
  touches: ({ path }) => reaching({ key: "path", path, access: "read" }),
  program: fileProgram("file_read", "const run = ({ path }) => say(fs.readFileSync(path));"),
});
