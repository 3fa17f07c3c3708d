import { MOVE_TOOLS } from "./move-program.ts";

/**
 * What the file tools run, with the Node of Silas and inside the sandbox: one call as JSON on standard input, the answer
 * on standard output. It needs no rules about paths: the sandbox shows it what the plan was granted and nothing else.
 * It is text because it is handed over as an argument; no file of Silas is visible where it runs.
 */
export const FILE_PROGRAM = `"use strict";
const fs = require("node:fs");
const { basename, dirname, join } = require("node:path");
const { tool, args } = JSON.parse(fs.readFileSync(0, "utf8"));
const say = (text) => void process.stdout.write(text);
const byName = (a, b) => (a.name < b.name ? -1 : 1);
const entries = (folder) => fs.readdirSync(folder, { withFileTypes: true }).sort(byName);
const mark = (entry) => (entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : "");
function search(path, text) {
  const found = fs.lstatSync(path);
  if (found.isDirectory()) return entries(path).forEach(({ name }) => search(join(path, name), text));
  if (!found.isFile() || found.size > 16777216) return;
  const bytes = fs.readFileSync(path);
  if (bytes.includes(0)) return;
  const lines = bytes.toString("utf8").split("\\n");
  lines.forEach((line, at) => line.includes(text) && say(path + ":" + (at + 1) + ": " + line + "\\n"));
}
const tools = {
  file_read: ({ path }) => say(fs.readFileSync(path)),
  file_write({ path, content }) {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, content);
    say(Buffer.byteLength(content) + " bytes written to " + path + "\\n");
  },
  file_patch({ path, find, replace }) {
    const parts = fs.readFileSync(path, "utf8").split(find);
    if (parts.length !== 2) throw new Error("the text to replace is there " + (parts.length - 1) + " times, not once");
    fs.writeFileSync(path, parts.join(replace));
    say(path + " changed\\n");
  },
  file_list: ({ path }) => entries(path).forEach((entry) => say(entry.name + mark(entry) + "\\n")),
  file_search: ({ path, text }) => search(path, text),
};
${MOVE_TOOLS}
try {
  tools[tool](args);
} catch (cause) {
  process.stderr.write(tool + ": " + cause.message + "\\n");
  process.exitCode = 1;
}
`;
