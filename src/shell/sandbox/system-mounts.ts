import { copyFileSync, existsSync, lstatSync, mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Where the program finds the Node that Silas itself runs on, whatever PATH says. */
export const SANDBOX_NODE = "/opt/silas/bin/node";

/** Links to the programs a system chose. They are mounted, since there may be hundreds and a copy of each takes longer. */
const ALTERNATIVES = "/etc/alternatives";

type SystemParts = { readonly node: string; readonly etc: string };

/** Programs, libraries and the little of /etc that programs need to start; nothing of the owner's. */
export function systemMounts({ node, etc }: SystemParts): readonly string[] {
  return [
    ["--ro-bind", "/usr", "/usr"],
    ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap(sameAsHost),
    ["--ro-bind", etc, "/etc"],
    ["--ro-bind-try", ALTERNATIVES, ALTERNATIVES],
    ["--ro-bind", node, SANDBOX_NODE],
  ].flat();
}

/** Of /proc, as far as this kernel has them: what is not there cannot be covered. */
export const hiddenFiles = (): readonly string[] =>
  ["/proc/keys", "/proc/key-users"].filter((file) => existsSync(file));

/** An /etc of its own: a user, the linker's cache, and an empty folder where the links to chosen programs are mounted. */
export function makeEtc(folder: string): string {
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "passwd"), "sandbox:x:1000:1000::/workspace:/bin/sh\n");
  writeFileSync(join(folder, "group"), "sandbox:x:1000:\n");
  if (existsSync("/etc/ld.so.cache")) copyFileSync("/etc/ld.so.cache", join(folder, "ld.so.cache"));
  mkdirSync(join(folder, basename(ALTERNATIVES)), { mode: 0o700 });
  return folder;
}

/** On most systems these are links into /usr; on older ones folders. */
function sameAsHost(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}
