/** Which folder Silas takes for its data, at every command that would open it. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";

let home: Home;
beforeEach(() => void (home = createHome()));
afterEach(() => home.remove());

const VERBS = [
  ["start", "--port", "0", "--no-open"],
  ["init"],
  ["tasks", "list"],
  ["messages"],
  ["keys", "list"],
  ["backup"],
  ["doctor", "--fix"],
  ["sandbox", "test"],
  ["status"],
] as const;

test("a folder with files of somebody else is refused by every command, with a sentence, and nothing of it changes", async () => {
  const dir = join(home.dir, "thesis");
  mkdirSync(dir);
  chmodSync(dir, 0o755);
  writeFileSync(join(dir, "chapter-1.txt"), "mine");
  for (const verb of VERBS) {
    const ran = await home.silas(verb, { env: { SILAS_DATA_DIR: dir } });
    expect([verb, ran.code]).not.toEqual([verb, 0]);
    expect(ran.out + ran.err).toContain("data_dir: holds files that are not Silas's; choose an empty or a new folder");
    expect(statSync(dir).mode & 0o777).toBe(0o755);
    expect(readdirSync(dir)).toEqual(["chapter-1.txt"]);
  }
  const file = join(home.dir, "silas.yaml");
  writeFileSync(file, `silas:\n  data_dir: ${dir}\n`);
  const checked = await home.silas(["config", "check", file]);
  expect([checked.code, checked.out]).toEqual([1, expect.stringContaining("data_dir: holds files")]);
});

test("the root, the home and an empty HOME are refused; a new folder is marked, and goes on with other files in it", async () => {
  const mode = statSync("/").mode;
  for (const SILAS_DATA_DIR of ["/", "/etc", home.dir]) {
    const ran = await home.silas(["init"], { env: { SILAS_DATA_DIR } });
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("data_dir: belongs to the system")]);
  }
  expect(statSync("/").mode).toBe(mode);
  const homeless = await home.silas(["init"], { env: { HOME: "", SILAS_HOME: "" } });
  expect([homeless.code, homeless.err]).toEqual([1, expect.stringContaining("env HOME is empty or no absolute path")]);
  expect(existsSync(join(home.dir, ".local"))).toBe(false);

  const env = { SILAS_DATA_DIR: join(home.dir, "new") };
  expect((await home.silas(["init"], { env })).code).toBe(0);
  expect(readdirSync(env.SILAS_DATA_DIR)).toContain(".silas");
  writeFileSync(join(env.SILAS_DATA_DIR, "note.txt"), "");
  expect((await home.silas(["tasks", "list"], { env })).code).toBe(0);
});
