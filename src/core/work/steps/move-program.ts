/**
 * The part of the file tools that moves. A name is never taken from anything that has it already, no link is followed on
 * the way, and only bytes with the digest that was approved are moved. Asked again it finds what it did and does nothing
 * more, so that a step that was interrupted may be repeated: a file first gets its second name, then loses its first.
 */
export const MOVE_TOOLS = `
const { createHash } = require("node:crypto");
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const within = (folder, name) => "/proc/self/fd/" + folder + "/" + name;
function openFolder(path, make) {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  let folder = fs.openSync(path.startsWith("/") ? "/" : ".", O_RDONLY | O_DIRECTORY);
  for (const name of names) {
    const open = () => fs.openSync(within(folder, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    let next;
    try {
      next = open();
    } catch (cause) {
      if (cause.code !== "ENOENT" || !make) throw cause;
      fs.mkdirSync(within(folder, name));
      next = open();
    }
    fs.closeSync(folder);
    folder = next;
  }
  return folder;
}
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
function noteAll(path, inside, notes) {
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
Object.assign(tools, {
  file_move({ from, to, sha256, otherwise }) {
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
  },
  folder_remove({ paths }) {
    for (const path of paths) {
      try {
        fs.rmdirSync(within(openFolder(dirname(path), false), basename(path)));
        say(path + ": removed\\n");
      } catch (cause) {
        if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(cause.code)) throw cause;
        say(path + (cause.code === "ENOENT" ? ": not there\\n" : ": not empty, it stays\\n"));
      }
    }
  },
  folder_note({ path, into }) {
    const notes = {};
    noteAll(path, "", notes);
    fs.writeFileSync(into, JSON.stringify(notes));
    say(Object.keys(notes).length + " noted\\n");
  },
});
`;
