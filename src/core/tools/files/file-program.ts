import { ownProgram } from "../programs/node.ts";
import type { SandboxCall } from "../tool.ts";

/**
 * What a file tool runs, with the Node of Silas and inside the sandbox: one call as JSON on standard input, the answer on
 * standard output. It needs no rules about paths: the sandbox shows it what the plan was granted and nothing else.
 * `code` defines `run(args)`.
 */
export const fileProgram = (tool: string, code: string) => {
  const program = `${HEAD}${code}${TAIL}`;
  return (args: object): SandboxCall => ownProgram(program, { tool, args });
};

const HEAD = `"use strict";
const fs = require("node:fs");
const { basename, dirname, join } = require("node:path");
const { tool, args } = JSON.parse(fs.readFileSync(0, "utf8"));
const say = (text) => void process.stdout.write(text);
const byName = (a, b) => (a.name < b.name ? -1 : 1);
const entries = (folder) => fs.readdirSync(folder, { withFileTypes: true }).sort(byName);
`;

const TAIL = `
try {
  run(args);
} catch (cause) {
  process.stderr.write(tool + ": " + cause.message + "\\n");
  process.exitCode = 1;
}
`;

/** For tools that change names: no link is followed on the way to a folder. */
export const OPEN_FOLDER = `
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
`;
