import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, LIMITS, ok, type Result } from "#base";
import { isSkillPath, SKILL_NAME, skillTreeDigest, type SkillTreeRefused, type TreeFault } from "#model";
import type { SkillFolders, SkillTree } from "#ports";

const { hash, randomBytes } = process.getBuiltinModule("node:crypto");

/** Skills as folders of one folder, which need not be there. */
export function openSkillFolders(skillsDir: string): SkillFolders {
  const placeOf = (name: string): string | null => (SKILL_NAME.test(name) ? join(skillsDir, name) : null);
  return {
    async names() {
      const found = await readdir(skillsDir, { withFileTypes: true }).catch(() => []);
      return found
        .filter((one) => !one.isFile() && !one.name.startsWith("."))
        .map(({ name }) => name)
        .toSorted();
    },
    async read(name) {
      const place = placeOf(name);
      return place === null ? refused("file_name", name.slice(0, 80)) : readTree(place);
    },
    readAt: readTree,
    async add(name, tree) {
      const place = placeOf(name);
      return place === null ? refused("file_name", name.slice(0, 80)) : layTree(place, tree);
    },
    async remove(name) {
      const place = placeOf(name);
      if (place === null) return refused("file_name", name.slice(0, 80));
      try {
        // What is there may be a link: then the link goes, and nothing behind it.
        await rm(place, { recursive: true, force: true });
        return ok();
      } catch {
        return refused("unreadable");
      }
    },
  };
}

type Entry = SkillTree["files"][number];
type Walk = { readonly files: Entry[]; bytesLeft: number };

/** Everything in the folder, each file opened without following a link. The first thing that is no file refuses all. */
async function readTree(root: string): Promise<Result<SkillTree, SkillTreeRefused>> {
  const found = await lstat(root).catch(() => null);
  if (found === null) return refused("missing");
  if (found.isSymbolicLink()) return refused("link");
  if (!found.isDirectory()) return refused("not_a_folder");
  const walk: Walk = { files: [], bytesLeft: LIMITS.skillBytes };
  try {
    const problem = await readFolder(walk, { root, inside: "", depth: 0 });
    if (problem !== null) return err(problem);
  } catch {
    return refused("unreadable");
  }
  const files = walk.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return ok({ files, digest: skillTreeDigest(files) });
}

type Folder = { readonly root: string; readonly inside: string; readonly depth: number };

async function readFolder(walk: Walk, { root, inside, depth }: Folder): Promise<SkillTreeRefused | null> {
  if (depth > LIMITS.skillDepth) return fault("too_deep", inside);
  const entries = await readdir(join(root, inside), { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
    if (!isSkillPath(path)) return fault("file_name", path);
    if (entry.isSymbolicLink()) return fault("link", path);
    if (!entry.isFile() && !entry.isDirectory()) return fault("special_file", path);
    const problem = entry.isDirectory()
      ? await readFolder(walk, { root, inside: path, depth: depth + 1 })
      : await readFile(walk, { root, path });
    if (problem !== null) return problem;
  }
  return null;
}

async function readFile(walk: Walk, { root, path }: { readonly root: string; readonly path: string }) {
  if (walk.files.length >= LIMITS.skillFiles) return fault("too_many_files", path);
  const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const seen = await file.stat();
    if (!seen.isFile()) return fault("special_file", path);
    if (seen.size > walk.bytesLeft) return fault("too_large", path);
    // One byte more than there was shows a file that grows while it is read.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(seen.size + 1), 0, seen.size + 1, 0);
    if (bytesRead !== seen.size) return fault("unreadable", path);
    const bytes = Uint8Array.from(buffer.subarray(0, bytesRead));
    walk.bytesLeft -= bytes.length;
    const sha256 = hash("sha256", bytes);
    walk.files.push({ path, size: bytes.length, executable: (seen.mode & 0o111) !== 0, sha256, bytes });
    return null;
  } finally {
    await file.close();
  }
}

/** Written beside its place and then moved there, so that half a skill is never found. */
async function layTree(place: string, { files }: SkillTree): Promise<Result<boolean, SkillTreeRefused>> {
  if ((await lstat(place).catch(() => null)) !== null) return ok(false);
  const beside = join(dirname(place), `.laying-${randomBytes(6).toString("hex")}`);
  try {
    for (const { path, bytes, executable } of files) {
      const target = join(beside, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await writeFile(target, bytes, { flag: "wx", mode: executable ? 0o755 : 0o644 });
    }
    await rename(beside, place);
    return ok(true);
  } catch {
    await rm(beside, { recursive: true, force: true });
    return refused("unreadable");
  }
}

const fault = (reason: TreeFault, path: string): SkillTreeRefused => ({
  code: "skill_tree_refused",
  reason,
  path: path.slice(0, 200),
});
const refused = (reason: TreeFault, path = "") => err(fault(reason, path));
