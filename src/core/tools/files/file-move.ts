import { fileDigest, group, key, oneOf, place, required } from "#model";
import { defineTool, reaching } from "../tool.ts";
import { fileProgram, OPEN_FOLDER } from "./file-program.ts";

/**
 * A name is never taken from anything that has it already, no link is followed on the way, and only bytes with the digest
 * that was approved are moved. Asked again it finds what it did and does nothing more, so that a step that was interrupted
 * may be repeated: a file first gets its second name, then loses its first.
 */
const MOVE = `${OPEN_FOLDER}
const { createHash } = require("node:crypto");
function digestOf(file) {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(1048576);
  for (;;) {
    const bytes = fs.readSync(file, buffer, 0, buffer.length, null);
    if (bytes === 0) return hash.digest("hex");
    hash.update(buffer.subarray(0, bytes));
  }
}
function lookAt(path) {
  let file;
  try {
    file = fs.openSync(within(openFolder(dirname(path), false), basename(path)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    if (cause.code === "ENOENT") return { kind: "none" };
    if (cause.code === "ELOOP" || cause.code === "ENOTDIR" || cause.code === "ENXIO") return { kind: "other" };
    throw cause;
  }
  const { dev, ino } = fs.fstatSync(file, { bigint: true });
  if (!fs.fstatSync(file).isFile()) return { kind: "other" };
  return { kind: "file", id: dev + ":" + ino, sha256: digestOf(file) };
}
function idOf(path) {
  const about = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return about === undefined ? null : about.dev + ":" + about.ino;
}
function moveOne(from, to, sha256) {
  const here = lookAt(from);
  const there = lookAt(to);
  const isThere = there.kind === "file" && there.sha256 === sha256;
  if (here.kind === "none") return isThere ? "there_already" : "gone";
  if (here.kind === "other") return isThere ? "there_already" : "not_a_file";
  if (here.sha256 !== sha256) return isThere ? "there_already" : "changed";
  if (there.kind !== "none" && !(isThere && there.id === here.id)) return "taken";
  const source = openFolder(dirname(from), false);
  const target = openFolder(dirname(to), true);
  const [before, after] = [within(source, basename(from)), within(target, basename(to))];
  if (there.kind === "none") {
    try {
      fs.linkSync(before, after);
    } catch (cause) {
      if (cause.code === "EEXIST") return "taken";
      if (cause.code === "EXDEV") return "other_disk";
      if (!["EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(cause.code)) throw cause;
      // A file system without second names. Nothing was there a moment ago.
      fs.renameSync(before, after);
    }
    if (idOf(after) !== here.id) {
      fs.unlinkSync(after);
      return "changed";
    }
  }
  // Whatever took the old name in this moment keeps it.
  try {
    if (idOf(before) === here.id) fs.unlinkSync(before);
  } catch (cause) {
    // Whoever says that it failed has moved nothing, not even by half.
    fs.unlinkSync(after);
    throw cause;
  }
  for (const folder of [target, source]) {
    try {
      fs.fsyncSync(folder);
    } catch (cause) {
      // It is moved, whether or not this folder can be told to stay so.
      process.stderr.write(cause.message + "\\n");
    }
  }
  return "done";
}
function run({ from, to, sha256, otherwise }) {
  const isLeft = otherwise === "leave";
  let said = "failed";
  try {
    said = moveOne(from, to, sha256);
  } catch (cause) {
    // A folder that may not be written, a full disk: the others are tried all the same.
    if (!isLeft) throw cause;
    process.stderr.write(cause.message + "\\n");
  }
  if (!isLeft && said !== "done" && said !== "there_already") throw new Error(said);
  say(said + "\\n");
}`;

export const fileMove = defineTool({
  name: "file_move",
  origin: "core",
  version: 1,
  description:
    "Moves or renames one file with a known digest, and makes the folders it goes to. Use it in place of mv. It never replaces a file that is already there.",
  output:
    "Returns done, or there_already when it was moved before; otherwise one word for what stood in the way, such as changed, gone or taken.",
  input: group({
    from: place("The file now, as a path in the workspace or in a place that the plan may change."),
    to: place("Where it goes, as a path in the workspace or in a place that the plan may change."),
    sha256: required(fileDigest(), "The digest of the file's bytes; a file with other bytes is not moved."),
    otherwise: key(oneOf(["fail", "leave"]), {
      is: "fail",
      doc: "Whether a file that cannot be moved fails the call or is left where it is.",
    }),
  }),
  effect: "write",
  offeredTo: ["plan", "executor"],
  repeatable: "always",
  touches: ({ from, to }) =>
    reaching({ key: "from", path: from, access: "write" }, { key: "to", path: to, access: "write" }),
  program: fileProgram("file_move", MOVE),
});
