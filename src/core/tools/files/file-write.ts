import { group, place, required, sourceText } from "#model";
import { defineTool, reaching } from "../tool.ts";
import { fileProgram } from "./file-program.ts";

export const fileWrite = defineTool({
  name: "file_write",
  origin: "core",
  version: 1,
  description:
    "Writes a whole file, and makes the folders it lies in. Use it for a new file or to replace all of one; use file_patch to change a part.",
  output: "Returns how many bytes were written.",
  input: group({
    path: place("The file, as a path in the workspace or in a place that the plan may change."),
    content: required(sourceText(), "Everything that the file holds afterwards."),
  }),
  effect: "write",
  offeredTo: ["plan", "executor"],
  repeatable: "in_workspace",
  touches: ({ path }) => reaching({ key: "path", path, access: "write" }),
  program: fileProgram(
    "file_write",
    `function run({ path, content }) {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, content);
  say(Buffer.byteLength(content) + " bytes written to " + path + "\\n");
}`,
  ),
});
