import { existsSync, lstatSync, readlinkSync } from "node:fs";

/** Where the program finds the Node that Silas itself runs on, whatever PATH says. */
export const SANDBOX_NODE = "/opt/silas/bin/node";

/** Programs, libraries and the little of /etc that programs need to start; nothing of the owner's. */
export function systemMounts(node: string): readonly string[] {
  return [
    ["--ro-bind", "/usr", "/usr"],
    ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap(sameAsHost),
    ["/etc/ld.so.cache", "/etc/alternatives"].flatMap((path) => (existsSync(path) ? ["--ro-bind", path, path] : [])),
    ["--ro-bind", node, SANDBOX_NODE],
  ].flat();
}

/** On most systems these are links into /usr; on older ones folders. */
function sameAsHost(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}
