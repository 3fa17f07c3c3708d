import { NODE } from "#tools";

/**
 * What the two checks of a batch run, in the sandbox that can change nothing: one line of a command, so that it has no
 * single quotes and no line break that matters. It finds the approved ways in the workspace and believes them only if
 * they have the digest that its own command names.
 */
const PROGRAM = `const fs = require("node:fs");
const sha256 = (bytes) => require("node:crypto").createHash("sha256").update(bytes).digest("hex");
const digestOf = (path) => {
  const hash = require("node:crypto").createHash("sha256"), file = fs.openSync(path), part = Buffer.alloc(1048576);
  for (let n = 1; n > 0; ) hash.update(part.subarray(0, (n = fs.readSync(file, part, 0, part.length, null))));
  return hash.digest("hex");
};
const [, what, folder, digest] = process.argv;
const text = fs.readFileSync("moves.json");
const { moves, folders } = JSON.parse(text);
const at = (path) => fs.lstatSync(folder + "/" + path, { bigint: true, throwIfNoEntry: false });
const wrong = [];
if (sha256(text) !== digest) wrong.push("these are not the approved ways");
if (what === "placed") {
  for (const { to, sha256: wanted } of moves) {
    const found = at(to);
    if (found === undefined || !found.isFile()) wrong.push(to + ": not there");
    else if (digestOf(folder + "/" + to) !== wanted) wrong.push(to + ": other bytes");
  }
} else {
  const own = new Set([...folders, ...moves.flatMap(({ from, to }) => [from, to])]);
  for (const [path, was] of Object.entries(JSON.parse(fs.readFileSync("before.json")))) {
    const now = own.has(path) ? null : at(path);
    if (now === null) continue;
    if (now === undefined) wrong.push(path + ": lost");
    else if (was !== (now.isDirectory() ? "folder" : now.mode + " " + now.size + " " + now.mtimeNs))
      wrong.push(path + ": changed");
  }
}
console.log(wrong.length === 0 ? "all is as it should be" : wrong.slice(0, 20).join(String.fromCharCode(10)));
process.exitCode = wrong.length === 0 ? 0 : 1;`;

/** As one command line; the folder is quoted, whatever its name holds. */
export function checkCommand(what: "placed" | "kept", { folder, digest }: Checked): string {
  return `${NODE} --input-type=commonjs --eval '${PROGRAM}' ${what} ${quoted(folder)} ${digest}`;
}
type Checked = { readonly folder: string; readonly digest: string };

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
