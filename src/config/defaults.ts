import { CONFIG_SCHEMA, type ConfigNode } from "#model";
import { pathsOf, type Directories } from "./directories.ts";
import { readTree, type Layer } from "./layer.ts";
import type { Source } from "./read-key.ts";

/** What the defaults depend on: where this start stands, and what other sources already set. */
type DefaultFacts = {
  readonly directories: Directories;
  readonly source: Source;
  readonly given: Layer;
};

/** The defaults as the lowest layer, with those that follow from others: places, and the embedding dimension. */
export function readDefaults(facts: DefaultFacts): Layer {
  const layer = readTree(defaultTree(CONFIG_SCHEMA), { ...facts.source, originAt: () => ({ kind: "default" }) });
  for (const [key, value] of derivedDefaults(facts)) layer.values.set(key, { value, origin: { kind: "default" } });
  return layer;
}

function derivedDefaults({ directories, source, given }: DefaultFacts): readonly (readonly [string, unknown])[] {
  const { join } = pathsOf(source.environment.platform);
  const set = given.values.get("data_dir")?.value;
  const dataDir = typeof set === "string" ? set : directories.data;
  const { checkout } = directories;
  return [
    ["data_dir", dataDir],
    // Inside the data directory wherever that is, so that moving it does not break the rule about it. [CFG-24]
    ["sandbox.work_dir", join(dataDir, "sandbox", "work")],
    ["sandbox.verify_dir", join(dataDir, "verify")],
    ["sandbox.customer_context_dir", join(dataDir, "customer_context")],
    ["skills_dir", checkout === null ? join(dataDir, "skills") : join(checkout, "silas", "skills")],
    // The default dimension belongs to the default model; another model answers with its own.
    ...(given.values.has("memory.embedding_model") ? [["memory.embedding_dim", null] as const] : []),
  ];
}

/** The defaults of a node in wire form, as if a file had written them all. */
function defaultTree(node: ConfigNode): unknown {
  if (node.node !== "group") return node.fallback;
  return Object.fromEntries(Object.entries(node.children).map(([key, child]) => [key, defaultTree(child)]));
}
