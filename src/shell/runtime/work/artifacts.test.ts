import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256Hex } from "#base";
import { ARTIFACT_BYTES_MOST, createArtifactFiles, isInside, keepArtifacts, readInside } from "./artifacts.ts";

let root: string;
let workspace: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "silas-artifacts-"));
  workspace = join(root, "workspace");
  mkdirSync(join(workspace, "deep", "er"), { recursive: true });
  writeFileSync(join(root, "secret"), "of the owner");
  writeFileSync(join(workspace, "page"), "page");
  writeFileSync(join(workspace, "deep", "er", "page"), "deep");
  symlinkSync(join(root, "secret"), join(workspace, "link"));
  symlinkSync(root, join(workspace, "folder"));
  symlinkSync("page", join(workspace, "own"));
  execFileSync("mkfifo", [join(workspace, "pipe")]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("[VER-11] a place is looked for inside the workspace alone: no way up, no absolute path and no link leads out", async () => {
  for (const place of ["page", "./page", "deep/er/page", "deep"]) expect(await isInside(workspace, place)).toBe(true);
  const outside = ["../secret", "deep/../../secret", join(root, "secret"), "/etc/passwd", "~", "link", "folder/secret"];
  for (const place of [...outside, "own", "pipe", "", ".", "nothing", "page/x"]) {
    expect(await isInside(workspace, place), place).toBe(false);
  }
});

test("[VER-11] whatever a path is made of, nothing outside is ever found", async () => {
  const part = fc.constantFrom("..", ".", "", "folder", "link", "secret", "deep", "er", "%2e%2e", "~", "\\");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const place = parts.join("/");
      const isFound = await isInside(workspace, place);
      const plain = parts.filter((name) => name !== "" && name !== ".");
      const isOwn = !place.startsWith("/") && ["deep", "deep/er"].includes(plain.join("/"));
      expect(isFound).toBe(isOwn);
    }),
    { numRuns: 200 },
  );
});

test("artifacts are the digest and size of files; what is a link, a folder, a pipe or nothing is none", async () => {
  const places = {
    page: "page",
    deep: "deep/er/page",
    link: "link",
    own: "own",
    folder: "deep",
    pipe: "pipe",
    none: "x",
  };
  expect(await keepArtifacts(createArtifactFiles(join(workspace, "../kept")), { workspace, places })).toEqual({
    page: { sha256: sha256Hex("page"), size: 4 },
    deep: { sha256: sha256Hex("deep"), size: 4 },
    link: null,
    own: null,
    folder: null,
    pipe: null,
    none: null,
  });
});

test("a file of exactly the largest size is kept; a larger one is known by its digest alone, and no part of either stays", async () => {
  const folder = join(root, "sizes");
  const files = createArtifactFiles(folder);
  const keep = async (size: number) => {
    const path = join(root, "large");
    writeFileSync(path, "");
    truncateSync(path, size);
    const file = await open(path);
    try {
      return await files.keep(file);
    } finally {
      await file.close();
    }
  };
  const largest = await keep(ARTIFACT_BYTES_MOST);
  expect(readdirSync(folder)).toEqual([largest.sha256]);
  expect((await files.read(largest.sha256))?.length).toBe(ARTIFACT_BYTES_MOST);
  const larger = await keep(ARTIFACT_BYTES_MOST + 1);
  expect(larger).toEqual({ sha256: sha256Hex(Buffer.alloc(ARTIFACT_BYTES_MOST + 1)), size: ARTIFACT_BYTES_MOST + 1 });
  expect(readdirSync(folder)).toEqual([largest.sha256]);
  expect(await files.read(larger.sha256)).toBeNull();
});

test("what was kept in the moment itself is not pruned, and what was kept before it is", async () => {
  const folder = join(root, "old");
  mkdirSync(folder);
  const beforeMs = Date.UTC(2026, 10, 16, 9);
  for (const [name, ms] of Object.entries({ before: -1_000, at: 0, after: 1_000 })) {
    writeFileSync(join(folder, name), name);
    utimesSync(join(folder, name), new Date(beforeMs + ms), new Date(beforeMs + ms));
  }
  expect(await createArtifactFiles(folder).prune({ beforeMs, needed: new Set() })).toBe(1);
  expect(readdirSync(folder).toSorted()).toEqual(["after", "at"]);
});

test("a file is read to the last byte that may be, and not at all when it has one more", async () => {
  const read = async (bytesMost: number) => (await readInside({ workspace, place: "page", bytesMost }))?.length ?? null;
  expect([await read(3), await read(4), await read(5)]).toEqual([null, 4, 4]);
});
