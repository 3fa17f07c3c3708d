import { mayBeNull, type ConfigGroup, type ConfigNode } from "#model";
import type { Path } from "./key-names.ts";
import type { Layer } from "./layer.ts";
import { problem, type Origin } from "./problems.ts";

/** Where in a layer a node is put together, and which origin to blame for a key that is missing there. */
type Site = { readonly path: Path; readonly layer: Layer; readonly origin: Origin };

/** The wire value of a node out of a layer; keys that had to be given and were not become problems of the layer. */
export function assemble(node: ConfigNode, site: Site): unknown {
  const key = site.path.join(".");
  switch (node.node) {
    case "list":
      return site.layer.values.get(key)?.value;
    case "key": {
      const assigned = site.layer.values.get(key);
      if (assigned !== undefined) return assigned.value;
      if (node.presence === "required") site.layer.problems.push(problem("missing_key", { key, origin: site.origin }));
      return node.presence === "default" ? node.fallback : undefined;
    }
    case "group":
      return mayBeNull(node) && !isWritten(site) ? null : assembleGroup(node, site);
    case "map":
      return assembleMap(node, site);
  }
}

/** Whether anything under a place was given. */
function isWritten({ path, layer }: Site): boolean {
  const prefix = `${path.join(".")}.`;
  return layer.values.keys().some((key) => key.startsWith(prefix));
}

function assembleGroup(node: ConfigGroup, site: Site): unknown {
  const built = Object.entries(node.children).map(
    ([name, child]) => [name, assemble(child, { ...site, path: [...site.path, name] })] as const,
  );
  return Object.fromEntries(built.filter(([, value]) => value !== undefined));
}

function assembleMap(node: Extract<ConfigNode, { readonly node: "map" }>, site: Site): unknown {
  const prefix = `${site.path.join(".")}.`;
  const built: [string, unknown][] = [];
  for (const [key, origin] of site.layer.entries) {
    const name = key.slice(prefix.length);
    if (!key.startsWith(prefix) || name.includes(".")) continue;
    built.push([name, assemble(node.entry, { ...site, path: [...site.path, name], origin })]);
  }
  return Object.fromEntries(built);
}
