import { group, place } from "#model";
import { defineTool, reaching } from "../tool.ts";
import { fileProgram } from "./file-program.ts";

export const fileList = defineTool({
  name: "file_list",
  origin: "core",
  version: 1,
  description: "Lists what is directly in one folder. Use it to find files before you read or change them.",
  output: "Returns one name per line in alphabetical order; a folder ends with / and a link with @.",
  input: group({
    path: place("The folder: . for the workspace, a path in it, or one in a place that the plan may read."),
  }),
  effect: "read",
  offeredTo: ["plan", "executor"],
  repeatable: "never",
  touches: ({ path }) => reaching({ key: "path", path, access: "read", isFolder: true }),
  program: fileProgram(
    "file_list",
    `const mark = (entry) => (entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : "");
const run = ({ path }) => entries(path).forEach((entry) => say(entry.name + mark(entry) + "\\n"));`,
  ),
});
