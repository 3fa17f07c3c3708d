/** The samples of what the tidy checks demand of packages, tests and unfinished work. */
import { manifest, type Sample } from "./sample.ts";

/** Written in two halves so that no search for rule ids stops here. */
const titled = (id: string): string => `te${"st"}("[${id}] holds", () => {});`;
const lockfile = (packages: object): string => JSON.stringify({ packages });

export const MANIFEST: Readonly<Record<string, Sample>> = {
  "versions are pinned": {
    bad: [manifest({ dependencies: { a: "^1.0.0" } }), manifest({ devDependencies: { a: "latest" } })],
    good: manifest({ dependencies: { a: "1.0.0" }, optionalDependencies: { b: "2.0.0-beta.1" } }),
  },
  "commands that are named exist": {
    bad: [{ ...manifest({ scripts: { check: "x" } }), "docs/a.md": "`npm run build:web`" }],
    good: { ...manifest({ scripts: { check: "x" } }), "docs/a.md": "`npm run check`" },
  },
  "dependencies have a decision": {
    bad: [{ ...manifest({ dependencies: { left: "1.0.0" } }), "docs/decisions/0001-a.md": "left" }],
    good: { ...manifest({ dependencies: { left: "1.0.0" } }), "docs/decisions/0001-a.md": "- `left` pads." },
  },
  "lockfiles name no address": {
    bad: [{ "package-lock.json": '{ "packages": { "a": { "resolved": "https://a.example/b.tgz" } } }' }],
    good: { "package-lock.json": '{ "integrity": "sha512" }' },
  },
  "lockfiles are whole": {
    bad: [
      { "package-lock.json": lockfile({ "node_modules/a": { optionalDependencies: { "a-linux-x64": "1.0.0" } } }) },
    ],
    good: {
      "package-lock.json": lockfile({
        "node_modules/a": { dependencies: { b: "1.0.0", "@c/d": "1.0.0" } },
        "node_modules/a/node_modules/b": {},
        "node_modules/@c/d": { dependencies: { a: "1.0.0" } },
      }),
    },
  },
  "nothing names a machine": {
    bad: [
      { "a.md": `see /${"work"}/main/a.ts` },
      { "a.ts": `"/${"root"}/x"` },
      { "a.json": `https://registry.${"npm"}js.org` },
    ],
    good: { "a.md": "see src/core/work/main.ts, ./root/x and /workshop" },
  },
  "listed rules are proven": {
    bad: [
      { "docs/spec/mig.md": "- **MIG-01** Holds." },
      { "docs/spec/mig.md": "- **MIG-01** Holds.", "src/a.test.ts": titled("MIG-02") },
    ],
    good: { "docs/spec/mig.md": "- **MIG-01** Holds.", "src/a.test.ts": titled("MIG-01") },
  },
  "proven rules are listed": {
    bad: [
      { "src/a.test.ts": titled("MIG-01") },
      { "docs/spec/mig.md": "- **MIG-01** Holds.", "src/a.test.ts": titled("MIG-01] [MIG-02") },
    ],
    good: { "docs/spec/mig.md": "- **MIG-01** Holds.", "src/a.test.ts": titled("MIG-01") },
  },
  "rules are listed once, under their topic": {
    bad: [
      { "docs/spec/cfg.md": "- **MIG-01** Holds." },
      { "docs/spec/mig.md": "- **MIG-01** Holds.\n- **MIG-01** Again." },
    ],
    good: { "docs/spec/mig.md": "- **MIG-01** Holds.\n- **MIG-02** Holds." },
  },
  "guarantees are shown by tests": {
    bad: [
      { "docs/guarantees.md": "| Safe | holds | words |" },
      { "docs/guarantees.md": "| Safe | holds | [a](../src/a.test.ts) MIG-01 |" },
      { "docs/guarantees.md": "| Safe | holds | [a](../src/a.test.ts) MIG-02 |", "src/a.test.ts": titled("MIG-01") },
    ],
    good: {
      "docs/guarantees.md": "| Safe | holds | [a](../src/a.test.ts) MIG-01 |",
      "src/a.test.ts": titled("MIG-01"),
    },
  },
};
