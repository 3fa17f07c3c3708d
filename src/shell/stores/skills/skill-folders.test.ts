import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LIMITS } from "#base";
import { openSkillFolders } from "./skill-folders.ts";

function place(files: Readonly<Record<string, string>> = { "SKILL.md": "x" }) {
  const dir = mkdtempSync(join(tmpdir(), "silas-skills-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, "one", path)), { recursive: true });
    writeFileSync(join(dir, "one", path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const folders = openSkillFolders(dir);
  const reasonOf = async (): Promise<string | null> => {
    const read = await folders.read("one");
    return read.ok ? null : `${read.error.reason} ${read.error.path}`.trim();
  };
  return { dir, root: join(dir, "one"), folders, write, reasonOf };
}

const digestOf = async (folders: ReturnType<typeof openSkillFolders>): Promise<string> => {
  const read = await folders.read("one");
  if (!read.ok) throw new Error(read.error.reason);
  return read.value.digest;
};

describe("the folders of skills", () => {
  test("[INST-08] every byte, name and executable bit of a folder is in its digest", async () => {
    const { folders, root, write } = place({ "SKILL.md": "x", "references/a.md": "a" });
    const digests = [await digestOf(folders)];
    for (const change of [
      () => write("references/a.md", "b"),
      () => write("assets/new.txt", ""),
      () => rmSync(join(root, "references/a.md")),
      () => chmodSync(join(root, "SKILL.md"), 0o755),
    ]) {
      change();
      digests.push(await digestOf(folders));
    }
    expect(new Set(digests).size).toBe(digests.length);
    expect(await digestOf(folders)).toBe(digests.at(-1));
  });

  test("[SKILL-08] a link, a pipe, a strange name, too much and too deep each refuse all of it", async () => {
    const linked = place();
    symlinkSync("/etc/passwd", join(linked.root, "assets"));
    expect(await linked.reasonOf()).toBe("link assets");
    const itself = place();
    rmSync(itself.root, { recursive: true });
    symlinkSync(itself.dir, itself.root);
    expect(await itself.reasonOf()).toBe("link");
    const piped = place();
    execFileSync("mkfifo", [join(piped.root, "pipe")]);
    expect(await piped.reasonOf()).toBe("special_file pipe");
    for (const name of ["\u0430.md", "a\nb", "a\\b", " a"]) {
      const odd = place();
      odd.write(name, "");
      expect(await odd.reasonOf(), name).toMatch(/^file_name/);
    }
    const many = place(
      Object.fromEntries(Array.from({ length: LIMITS.skillFiles + 1 }, (_none, at) => [`a${at}`, ""])),
    );
    expect(await many.reasonOf()).toMatch(/^too_many_files/);
    const large = place({ "SKILL.md": "x", big: "x".repeat(LIMITS.skillBytes) });
    expect(await large.reasonOf()).toBe("too_large big");
    const deep = place({ [`${"a/".repeat(LIMITS.skillDepth + 1)}b`]: "" });
    expect(await deep.reasonOf()).toMatch(/^too_deep/);
  });

  test("[SKILL-08] a folder with exactly as many files, bytes and levels as a skill may have is read", async () => {
    const names = Array.from({ length: LIMITS.skillFiles - 1 }, (_none, at) => [`a${at}`, ""]);
    const many = place({ ...Object.fromEntries(names), [`${"a/".repeat(LIMITS.skillDepth)}b`]: "x" });
    expect(await many.reasonOf()).toBeNull();
    const large = place({ "SKILL.md": "x", big: "x".repeat(LIMITS.skillBytes - 1) });
    expect(await large.reasonOf()).toBeNull();
  });

  test("[SKILL-06] only folders right inside are skills; a name that is none reaches nothing", async () => {
    const { folders, dir, write } = place();
    write("scripts/a.mjs", "");
    writeFileSync(join(dir, "note.txt"), "");
    mkdirSync(join(dir, ".hidden"));
    expect(await folders.names()).toEqual(["one"]);
    for (const name of ["..", "../x", "one/scripts", "/etc", "One", ""]) {
      expect(await folders.read(name), name).toMatchObject({ ok: false });
      expect(await folders.remove(name), name).toMatchObject({ ok: false });
    }
    expect(await openSkillFolders(join(dir, "nowhere")).names()).toEqual([]);
  });

  test("a copy is laid whole and never over another, and removing it leaves the rest", async () => {
    const { folders, dir, root } = place({ "SKILL.md": "x", "scripts/a.mjs": "1", "scripts/large": "x".repeat(8e6) });
    chmodSync(join(root, "scripts/a.mjs"), 0o755);
    const read = await folders.readAt(root);
    if (!read.ok) throw new Error(read.error.reason);
    expect(await folders.add("one", read.value)).toEqual({ ok: true, value: false });
    expect(await folders.add("two", read.value)).toEqual({ ok: true, value: true });
    const copy = await folders.read("two");
    expect(copy.ok && copy.value.digest).toBe(read.value.digest);
    expect(await folders.remove("two")).toEqual({ ok: true, value: undefined });
    expect(existsSync(join(dir, "two"))).toBe(false);
    expect(await folders.names()).toEqual(["one"]);
  });
});
