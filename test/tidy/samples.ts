/** For every tidy check a small project that breaks it and one that keeps it: proof that the check can go red. */
import { ROOMS } from "../../scripts/house.ts";
import { MARKERS, renderArchitecture } from "../../scripts/print-architecture.ts";
import { renderTools } from "../../scripts/print-tools.ts";
import { MANIFEST } from "./manifest-samples.ts";
import { manifest, type Files, type Sample } from "./sample.ts";

const lines = (count: number, text = "a();"): string => Array.from({ length: count }, () => text).join("\n");
const folder = (count: number, ending: string): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/a/b${index}${ending}`, ""]));
const door = (commentLines: number, rest: string): string => `/**\n${lines(commentLines, " * word")}\n */\n${rest}`;
const walks = (steps: string): string =>
  `# A\n\n## A plan, from proposal to receipt\n\n${steps}\n\n## A chat message, from arrival to answer\n\n${steps}\n`;
const picture = `${MARKERS.begin}\n\n${renderArchitecture()}\n\n${MARKERS.end}\n`;
/** Written in two halves so that no search for unfinished work stops here. */
const unfinished = (mark: string): string => mark.replace("-", "");

const IMPORTS = Object.fromEntries(
  ROOMS.flatMap(({ name, door: file }) => (file === null ? [] : [[`#${name}`, `./${file}`]])),
);

const WALLS: Readonly<Record<string, Sample>> = {
  "every source file has a room": {
    bad: [{ "src/stray.ts": "" }, { "lib/thing.ts": "" }],
    good: { "src/core/base/thing.ts": "", "README.md": "" },
  },
  "every room of the plan exists": {
    bad: [{ "src/main.ts": "" }],
    good: Object.fromEntries(
      ROOMS.flatMap(({ paths, door: file }) => [...paths, file ?? "x"].map((path) => [path, ""])),
    ),
  },
  "the doors in package.json are those of the plan": {
    bad: [manifest({ imports: {} }), manifest({ imports: { ...IMPORTS, "#side": "./src/side.ts" } })],
    good: manifest({ imports: IMPORTS }),
  },
  "imports go through doors and follow the plan": {
    bad: [
      { "src/core/base/a.ts": 'import { b } from "#model";' },
      { "src/core/journal/a.ts": 'import { b } from "#stores";' },
      { "src/shell/stores/a.ts": 'import { b } from "#channels";' },
      { "src/shell/stores/a.ts": 'export { b } from "../../core/model/b.ts";' },
      { "src/shell/stores/a.ts": 'const b = await import("#model/b.ts");' },
      { "src/core/model/a.ts": 'import { readFileSync } from "node:fs";' },
      { "src/core/model/a.ts": 'import "#model";' },
      { "web/src/a.ts": 'import { b } from "#journal";' },
      { "src/cli/a.ts": 'import { b } from "./b.fixture.ts";' },
      { "src/cli/a.ts": 'import { b } from "../../../elsewhere.ts";' },
    ],
    good: {
      "src/core/journal/a.ts":
        '// import { x } from "#stores";\nimport { b } from "#model";\nimport { c } from "./c.ts";',
      "src/core/journal/a.test.ts": 'import { test } from "vitest";\nimport { open } from "#stores";',
      "src/core/model/a.ts": 'import * as z from "zod/mini";\nconst said = `import { b } from "#stores"`;',
    },
  },
  "imports lead to files of the repository": {
    bad: [{ "src/a.ts": 'import { b } from "./data/b.ts";' }],
    good: { "src/a.ts": 'import { b } from "./data/b.ts";\nimport "../c.css";', "src/data/b.ts": "", "c.css": "" },
  },
  "heavy parts of Node are asked for, not imported": {
    bad: [
      { "src/a.ts": 'import { createHash } from "node:crypto";' },
      { "src/a.ts": 'import { request, type IncomingMessage } from "node:http";' },
      { "src/a.ts": 'const { request } = await import("node:https");' },
    ],
    good: {
      "src/a.ts": 'import type { Server } from "node:http";\nconst http = process.getBuiltinModule("node:http");',
      "src/a.test.ts": 'import { createHash } from "node:crypto";',
      "bench/a.ts": 'import { request } from "node:http";',
    },
  },
  "only channels listen": {
    bad: [
      { "src/shell/runtime/a.ts": 'const { createServer } = process.getBuiltinModule("node:http");' },
      { "src/shell/gateway/a.ts": 'import { createServer, type Socket } from "node:net";' },
      { "src/cli/a.ts": 'import * as net from "node:net";' },
      { "src/cli/a.ts": 'import fastify from "fastify";' },
      { "src/cli/a.ts": 'const tls = await import("node:tls");' },
      { "src/compose.ts": "server.listen(port);" },
    ],
    good: {
      "src/shell/channels/a.ts": 'import { createServer } from "node:net";\ncreateServer().listen(0);',
      "src/shell/gateway/a.ts": 'import { connect, isIP } from "node:net";',
      "src/compose.ts": 'import type { Server } from "node:http";\nserver.listen();\nconst said = "createServer()";',
      "src/cli/a.test.ts": 'import { createServer } from "node:http";',
    },
  },
  "only the gateway connects": {
    bad: [
      { "src/shell/channels/a.ts": 'const answer = await fetch("https://a.example");' },
      { "src/shell/channels/a.ts": 'const { request: ask } = process.getBuiltinModule("node:http");' },
      { "src/shell/channels/a.ts": "const ask = process.getBuiltinModule(name).request;" },
      { "src/shell/runtime/a.ts": 'import { connect } from "node:tls";' },
      { "src/shell/runtime/a.ts": 'import { lookup } from "node:dns/promises";' },
      { "src/shell/runtime/a.ts": 'import { createSocket } from "node:dgram";' },
      { "src/cli/a.ts": "const socket = new WebSocket(url);" },
      { "src/cli/a.ts": 'import { Pool } from "undici";' },
    ],
    good: {
      "src/shell/gateway/a.ts":
        'import { connect } from "node:net";\nconst { request } = process.getBuiltinModule("node:http");',
      "src/shell/channels/a.ts":
        'const { createServer } = process.getBuiltinModule("node:https");\nopen({ fetch: post });\nit.fetch();',
      "src/shell/stores/a.ts":
        'const { createHash } = process.getBuiltinModule("node:crypto");\nconst said = `fetch()`;',
      "src/cli/a.ts": "// fetch(it)\nprefetch();",
    },
  },
  "a door is a comment and named re-exports": {
    bad: [
      { "src/core/base/index.ts": 'export { a } from "./a.ts";' },
      { "src/core/base/index.ts": door(4, 'export { a } from "./a.ts";') },
      { "src/core/base/index.ts": door(16, 'export { a } from "./a.ts";') },
      { "src/core/base/index.ts": door(6, "export const a = 1;") },
      { "src/core/base/index.ts": door(6, 'export * from "./a.ts";') },
    ],
    good: {
      "src/core/base/index.ts": door(6, 'export { a, type B } from "./a.ts";\nexport type { C } from "./c.ts";\n'),
    },
  },
};

const SIZES: Readonly<Record<string, Sample>> = {
  "the tidy reader understands every file": {
    bad: [{ "src/a.ts": "f((a);" }, { "src/a.ts": "if (a) { b(); }}" }],
    good: {
      "src/a.ts": 'const a = [/[)"`]/, "(", \'{\', `)${f(`]`)}(`, b / c, "\\"("]; // (',
      "web/a.tsx": 'const P = () => <p title="(">it\'s <b>{a / 2}</b> / {b}</p>;',
    },
  },
  "files are short": {
    bad: [{ "src/a.ts": lines(401) }, { "web/a.css": lines(401) }],
    good: { "src/a.ts": `${lines(400)}\n`, "src/limits-table.ts": lines(900), "docs/a.md": lines(900) },
  },
  "folders are small": {
    bad: [folder(26, ".ts"), { ...folder(25, ".ts"), "src/a/c.tsx": "" }],
    good: { ...folder(25, ".ts"), ...folder(25, ".test.ts"), ...folder(25, ".css"), "src/a/c/d.ts": "" },
  },
  "functions are short": {
    bad: [
      { "src/a.ts": `function long(): { a: string } {\n${lines(60)}\n}` },
      { "src/a.ts": `const long = async (a: string): Promise<void> => {\n${lines(60)}\n};` },
      { "web/a.tsx": `const Long = () => (\n<p>it's</p>\n${lines(60, "<hr />")}\n);` },
      { "src/a.ts": `const it = {\n  long(a: string): void {\n${lines(60)}\n  },\n};` },
    ],
    good: {
      "src/a.ts": `function short() {\n${lines(58)}\n}\n${lines(100)}\nif (a) {\n${lines(90)}\n}`,
      "src/a.test.ts": `describe("a", () => {\n${lines(90)}\n});`,
    },
  },
  "exported functions take named parameters": {
    bad: [
      { "src/a.ts": "export function f(a: string, b: Map<string, number>, c: number): void {}" },
      { "src/a.ts": "export const f = (a: string, b: string, c: string): string => a;" },
      { "src/a.ts": "export function f(a: string, quick: boolean): void {}" },
      { "src/a.ts": "export function f(quick = false): void {}" },
    ],
    good: {
      "src/a.ts": "export const f = (a: Map<string, number>, { b, c, d }: X): void => {};\nfunction own(a, b, c) {}",
    },
  },
};

const WORDS: Readonly<Record<string, Sample>> = {
  "file names name a thing": {
    bad: [{ "src/utils.ts": "" }, { "src/task-manager.ts": "" }, { "src/TaskList.ts": "" }, { "src/helpers/a.ts": "" }],
    good: { "src/task-list.ts": "", "web/src/service-worker.ts": "", "src/clock.property.test.ts": "" },
  },
  "identifiers name a thing": {
    bad: [
      { "src/a.ts": "class TaskManager {}" },
      { "src/a.ts": "const dateUtils = {};" },
      { "docs/glossary.md": "## Not these words\n\n| deadline | due |\n", "src/a.ts": "const taskDeadline = 1;" },
    ],
    good: {
      "docs/glossary.md": "## Not these words\n\n| deadline | due |\n",
      "src/a.ts": "const due = 1; // the deadline, TaskManager",
    },
  },
  "core has no clock, no randomness and does not wait": {
    bad: [
      { "src/core/base/a.ts": "const at = new Date();" },
      { "src/core/base/a.ts": "const x = Math.random();" },
      { "src/core/base/a.ts": "async function f() {}" },
      { "src/core/base/a.ts": "const x = `${Date.now()}`;" },
    ],
    good: {
      "src/core/base/a.ts":
        '// Date is a fact.\nconst d: LocalDate = parse("Date");\nconst r = /[/"]Date/;\nconst s = `async`;',
      "src/core/base/a.test.ts": "new Date();",
      "src/shell/stores/a.ts": "async function f() { return Date.now(); }",
    },
  },
  "exports are named": {
    bad: [
      { "src/a.ts": "export default 1;" },
      { "src/a.ts": 'export * from "./b.ts";' },
      { "src/a.ts": "export { a as default };" },
    ],
    good: { "src/a.ts": "export const a = 1;", "vitest.config.ts": "export default {};" },
  },
  "nothing is left unfinished": {
    bad: [
      { "src/a.ts": `// ${unfinished("TO-DO")} later` },
      { "src/a.ts": `// @ts-${unfinished("ig-nore")}` },
      { "src/a.test.ts": `test.${unfinished("sk-ip")}("a", () => {});` },
      { "src/a.test.ts": `describe.${unfinished("on-ly")}("a", () => {});` },
    ],
    good: { "src/a.ts": "const todos = list.only;" },
  },
  "only classes say this": {
    bad: [
      { "src/a.ts": "export const a = { b: 1, c() { return this.b; } };" },
      { "src/shell/a.ts": "const work = { look() { done.finally(() => this.look()); } };" },
      { "src/a.test.ts": "class A {}\nfunction f() { return this; }" },
      { "src/a.ts": 'const kind = { class: "a" };\nconst b = { c() { return this[kind]; } };' },
    ],
    good: {
      "src/a.ts":
        'class A extends Error {\n  constructor() { super("this"); this.code = { a: { b: 1 } }; }\n}\n// this\n',
      "web/a.ts": "const a = { b: 1, c() { return this.b; } };",
    },
  },
  "browser tests do not poll for absence": {
    bad: [".toBe(0)", ".toEqual([])", ".not.toContain(a)", "\n  .not.toMatch(a)", ".toBeNull()"].map((wanted) => ({
      "test/e2e/web-a.e2e.test.ts": `await expect.poll(() => list.count({ a: [1] }))${wanted};`,
    })),
    good: {
      "test/e2e/web-a.e2e.test.ts": "await expect.poll(read).not.toBe(before);\nexpect(await list.count()).toBe(0);",
      "test/e2e/server-a.e2e.test.ts": "await expect.poll(read).toBe(0);",
    },
  },
  "every source file is reached from an entry point": {
    bad: [
      { "src/main.ts": "", "src/cli/dead.ts": "" },
      { "src/main.ts": "", "src/cli/dead.ts": "", "src/cli/dead.test.ts": 'import { a } from "./dead.ts";' },
      { "src/main.ts": '// import "./cli/dead.ts";', "src/cli/dead.ts": "" },
    ],
    good: {
      ...manifest({ imports: IMPORTS, scripts: { check: "node scripts/check.ts" } }),
      "scripts/check.ts": "",
      "src/main.ts": 'import { a } from "./cli/a.ts";\nimport { b } from "#base";',
      "src/cli/a.ts": 'new Worker(new URL("./worker.ts", import.meta.url));',
      "src/cli/worker.ts": "",
      "src/core/base/index.ts": 'export { b } from "./b.ts";',
      "src/core/base/b.ts": "",
      "web/index.html": '<script src="/src/main.tsx">',
      "web/src/main.tsx": 'import "./a.css";',
      "web/src/a.css": '@import "./b.css";',
      "web/src/b.css": "",
    },
  },
};

const KINDS: Files = {
  "src/core/model/bus/kinds.ts": "export const KINDS = {\n  planted: {\n    sentBy: [],\n  },\n} as const;",
  "src/core/model/planted.ts":
    'export const other = (): number => 1;\nexport const plantedOf = ({ id }: Row): MessageOf<"planted"> => ({ id });',
};
const SENDER = "queue.send(plantedOf(row), at);";
const READER = 'createReader({ kinds: ["planted"] });';

const DOCUMENTS: Readonly<Record<string, Sample>> = {
  "every export has an importer": {
    bad: [
      { "src/a.ts": "export const a = 1;" },
      { "src/a.ts": "export type A = 1;", "src/b.ts": 'import { B } from "./a.ts";' },
      { "src/a.ts": "export const a = 1;", "src/b.ts": '// import { a } from "./a.ts";' },
      { "src/a.ts": "export const a = 1;", "src/b.ts": 'export { a } from "./a.ts";' },
      { "test/a.ts": "export function a() {}" },
    ],
    good: {
      ...manifest({ imports: { "#a": "./src/door.ts" } }),
      "src/a.ts": "export const a = 1;\nexport type B = 1;\nexport async function c() {}\nconst d = 1;",
      "src/door.ts": 'export { a, type B as C } from "./a.ts";',
      "src/main.ts": 'import { a, type C } from "#a";\nconst { c } = await import("./a.ts");',
      "vitest.config.ts": 'export default { globalSetup: "scripts/set-up.ts" };',
      "scripts/set-up.ts": "export function setup() {}",
    },
  },
  "product code has a user in the product": {
    bad: [
      { "src/a.ts": "export const a = 1;", "src/a.test.ts": 'import { a } from "./a.ts";' },
      {
        "src/a.ts": "export const a = 1;",
        "src/door.ts": 'export { a } from "./a.ts";',
        "test/a.test.ts": 'import { a } from "../src/door.ts";',
      },
    ],
    good: {
      "src/a.ts": "export const a = 1;\nexport const b = a;\nexport const createMemoryA = 1;",
      "src/a.test.ts": 'import { a, createMemoryA } from "./a.ts";',
      "src/main.ts": 'import { b } from "./a.ts";',
    },
  },
  "every table has a writer and a reader": {
    bad: [
      { "src/shell/stores/migrations/a/001.sql": "CREATE TABLE notes (\n  text TEXT\n);" },
      {
        "src/shell/stores/migrations/a/001.sql": "CREATE TABLE notes (text TEXT);",
        "src/shell/stores/notes.ts": 'db.prepare("INSERT INTO notes VALUES (?)");',
        "src/shell/stores/notes.test.ts": 'db.prepare("SELECT text FROM notes");',
      },
      {
        "src/shell/stores/migrations/a/001.sql": "CREATE TABLE notes (text TEXT);",
        "src/shell/stores/notes.ts": 'db.prepare("SELECT text FROM notes");db.prepare("DELETE FROM notes");',
      },
    ],
    good: {
      "src/shell/stores/migrations/a/001.sql":
        "CREATE TABLE old (text TEXT);\nCREATE TABLE new (text TEXT);\nDROP TABLE old;\nALTER TABLE new RENAME TO notes;",
      "src/shell/stores/notes.ts": 'db.prepare("INSERT INTO notes VALUES (?)");db.prepare(`SELECT text FROM notes`);',
    },
  },
  "every kind of message has a sender and a reader": {
    bad: [
      { ...KINDS, "src/engine/a.ts": SENDER },
      { ...KINDS, "src/engine/a.ts": READER },
      { ...KINDS, "src/engine/a.ts": READER, "src/engine/a.test.ts": SENDER },
      { ...KINDS, "src/engine/a.ts": `${SENDER}\n// ${READER}` },
    ],
    good: { ...KINDS, "src/engine/a.ts": `${SENDER}\n${READER}` },
  },
  "a document has one title": {
    bad: [{ "docs/a.md": "# One\n\n# Two\n" }, { "docs/a.md": "text\n" }, { "docs/a.md": "text\n\n# Late\n" }],
    good: { "docs/a.md": "# One\n\n## Part\n\n```sh\n# a comment\n```\n" },
  },
  "links in documents resolve": {
    bad: [
      { "docs/a.md": "[b](b.md)" },
      { "docs/a.md": "[b](b.md#gone)", "docs/b.md": "# Here" },
      { "docs/a.md": "[x](#gone)" },
    ],
    good: {
      "docs/a.md": "[b](b.md#here-it-is) [c](https://a.example) [d](../src) `[e](f.md)`",
      "docs/b.md": "# Here it is",
      "src/a.ts": "",
    },
  },
  "the architecture picture is the printed one": {
    bad: [{ "docs/ARCHITECTURE.md": picture.replace("base", "basement") }, { "docs/ARCHITECTURE.md": "# A" }, {}],
    good: { "docs/ARCHITECTURE.md": `# A\n\n${picture}` },
  },
  "the document of tools is the printed one": {
    bad: [{ "docs/tools.md": renderTools().replace("file_read", "file_reader") }, {}],
    good: { "docs/tools.md": renderTools() },
  },
  "the walks name functions that exist": {
    bad: [
      {},
      { "docs/ARCHITECTURE.md": walks("1. It runs.") },
      { "docs/ARCHITECTURE.md": walks("1. [`gone`](../src/a.ts) runs."), "src/a.ts": "export function stays() {}" },
      { "docs/ARCHITECTURE.md": walks("1. [`gone`](../src/a.ts) runs."), "src/a.ts": "// function gone() {}\ngone();" },
      { "docs/ARCHITECTURE.md": walks("1. [`a`](../src/b.ts) runs.") },
      { "docs/ARCHITECTURE.md": walks(lines(16, "1. [`a`](../src/a.ts) runs.")), "src/a.ts": "function a() {}" },
    ],
    good: {
      "docs/ARCHITECTURE.md": walks("1. [`a`](../src/a.ts) and [`b`](../src/a.ts).\n2. [`c`](../src/a.ts)."),
      "src/a.ts":
        "const a = (x: number): number => x;\nexport async function b() {}\nconst d = { async c(): void {} };",
    },
  },
  "decisions are numbered": {
    bad: [{ "docs/decisions/0002-late.md": "# 0002 Late" }, { "docs/decisions/0001-a.md": "# 0003 A" }],
    good: { "docs/decisions/0001-a.md": "# 0001 A", "docs/decisions/0002-b.md": "# 0002 B" },
  },
};

export const SAMPLES: Readonly<Record<string, Sample>> = { ...WALLS, ...SIZES, ...WORDS, ...DOCUMENTS, ...MANIFEST };
