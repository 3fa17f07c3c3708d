import { group, place } from "#model";
import { defineTool, reaching } from "../tool.ts";
import { fileProgram } from "./file-program.ts";

export const folderNote = defineTool({
  name: "folder_note",
  origin: "core",
  version: 1,
  description:
    "Notes everything in a folder and below it, with sizes and times, in a file of JSON. Use it before files are moved, so that a check can compare afterwards.",
  output: "Returns how many files and folders were noted.",
  input: group({
    path: place("The folder: . for the workspace, a path in it, or one in a place that the plan may read."),
    into: place("The file to write, as a path in the workspace or in a place that the plan may change."),
  }),
  effect: "write",
  offeredTo: ["plan"],
  repeatable: "in_workspace",
  touches: ({ path, into }) =>
    reaching(
      { key: "path", path, access: "read", isFolder: true },
      { key: "into", path: into, access: "write", isFolder: true },
    ),
  program: fileProgram(
    "folder_note",
    `function noteAll(path, inside, notes) {
  for (const { name } of entries(join(path, inside))) {
    const at = inside === "" ? name : inside + "/" + name;
    const about = fs.lstatSync(join(path, at), { bigint: true, throwIfNoEntry: false });
    if (about === undefined) continue;
    const isFolder = about.isDirectory();
    notes[at] = isFolder ? "folder" : about.mode + " " + about.size + " " + about.mtimeNs;
    if (Object.keys(notes).length > 200000) throw new Error("more than 200,000 files are in this folder");
    if (isFolder) noteAll(path, at, notes);
  }
}
function run({ path, into }) {
  const notes = {};
  noteAll(path, "", notes);
  fs.writeFileSync(into, JSON.stringify(notes));
  say(Object.keys(notes).length + " noted\\n");
}`,
  ),
});
