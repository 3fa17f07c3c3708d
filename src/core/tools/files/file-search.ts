import { group, place, required, soughtText } from "#model";
import { defineTool, reaching } from "../tool.ts";
import { fileProgram } from "./file-program.ts";

export const fileSearch = defineTool({
  name: "file_search",
  origin: "core",
  version: 1,
  description:
    "Searches a file, or every file in a folder and the folders below it, for lines that contain a text. Use it to find where something is written. The text is matched exactly and is not a pattern.",
  output: "Returns one line per match as PATH:LINE: TEXT, and nothing when there is none.",
  input: group({
    path: place("The file or folder: . for the workspace, a path in it, or one in a place that the plan may read."),
    text: required(soughtText(), "The text that a line must contain."),
  }),
  effect: "read",
  offeredTo: ["plan", "executor"],
  repeatable: "never",
  touches: ({ path }) => reaching({ key: "path", path, access: "read", isFolder: true }),
  program: fileProgram(
    "file_search",
    `function search(path, text) {
  const found = fs.lstatSync(path);
  if (found.isDirectory()) return entries(path).forEach(({ name }) => search(join(path, name), text));
  if (!found.isFile() || found.size > 16777216) return;
  const bytes = fs.readFileSync(path);
  if (bytes.includes(0)) return;
  const lines = bytes.toString("utf8").split("\\n");
  lines.forEach((line, at) => line.includes(text) && say(path + ":" + (at + 1) + ": " + line + "\\n"));
}
const run = ({ path, text }) => search(path, text);`,
  ),
});
