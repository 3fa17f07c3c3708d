import { group, place, required, soughtText, sourceText } from "#model";
import { defineTool, reaching } from "../tool.ts";
import { fileProgram } from "./file-program.ts";

export const filePatch = defineTool({
  name: "file_patch",
  origin: "core",
  version: 1,
  description:
    "Replaces one piece of text in a file. Use it for a small change after you have read the file. It changes nothing and fails when the text to find is there more than once or not at all.",
  output: "Returns the path of the file that was changed.",
  input: group({
    path: place("The file, as a path in the workspace or in a place that the plan may change."),
    find: required(soughtText(), "The text to replace, copied exactly; it must be in the file exactly once."),
    replace: required(sourceText(), "The text that takes its place."),
  }),
  effect: "write",
  offeredTo: ["plan", "executor"],
  repeatable: "never",
  touches: ({ path }) => reaching({ key: "path", path, access: "write" }),
  program: fileProgram(
    "file_patch",
    `function run({ path, find, replace }) {
  const parts = fs.readFileSync(path, "utf8").split(find);
  if (parts.length !== 2) throw new Error("the text to replace is there " + (parts.length - 1) + " times, not once");
  fs.writeFileSync(path, parts.join(replace));
  say(path + " changed\\n");
}`,
  ),
});
