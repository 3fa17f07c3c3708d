import { LIMITS } from "#base";
import { group, longLine, many, required } from "#model";
import { defineTool, reaching } from "../tool.ts";
import { fileProgram, OPEN_FOLDER } from "./file-program.ts";

export const folderRemove = defineTool({
  name: "folder_remove",
  origin: "core",
  version: 1,
  description:
    "Removes folders that are empty. Use it to tidy up after files were moved. A folder that is not empty stays.",
  output: "Returns one line per folder: removed, not there, or not empty.",
  input: group({
    paths: required(many(longLine("pathChars"), LIMITS.batchFolders), "The folders; one that is not empty stays."),
  }),
  effect: "write",
  offeredTo: ["plan"],
  repeatable: "always",
  touches: ({ paths }) => reaching(...paths.map((path) => ({ key: "paths", path, access: "write" }) as const)),
  program: fileProgram(
    "folder_remove",
    `${OPEN_FOLDER}
function run({ paths }) {
  for (const path of paths) {
    try {
      fs.rmdirSync(within(openFolder(dirname(path), false), basename(path)));
      say(path + ": removed\\n");
    } catch (cause) {
      if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(cause.code)) throw cause;
      say(path + (cause.code === "ENOENT" ? ": not there\\n" : ": not empty, it stays\\n"));
    }
  }
}`,
  ),
});
