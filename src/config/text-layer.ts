import { CONFIG_SCHEMA, envNameOf, type ConfigNode } from "#model";
import { CONFIG_ROWS, entryProblem, nearestKey } from "./key-names.ts";
import { emptyLayer, visit, type Layer } from "./layer.ts";
import { problem, type ConfigProblem, type Origin } from "./problems.ts";
import { readText, type Source } from "./read-key.ts";
import { parseYaml } from "./yaml-document.ts";

/** One value given as text: `channels.web.port` and `9000`. */
type TextSetting = { readonly key: string; readonly text: string; readonly origin: Origin };

/** Reads flags: dotted keys. A secret is refused here, because arguments are visible to every process. */
export function readFlags(overrides: Readonly<Record<string, string>>, source: Source): Layer {
  const settings = Object.entries(overrides).map(([key, text]) => ({ key, text, origin: { kind: "flag" } as const }));
  return readSettings(settings, source);
}

/** Reads `SILAS_A__B=text`: a double underscore between levels. Empty variables count as not set. */
export function readVariables(source: Source): Layer {
  const { env, platform } = source.environment;
  const settings: TextSetting[] = [];
  for (const [given, text] of Object.entries(env)) {
    const name = platform === "win32" ? given.toUpperCase() : given;
    const key = keyOfVariable(name);
    if (key !== null && text !== undefined && text !== "") settings.push({ key, text, origin: { kind: "env", name } });
  }
  return readSettings(settings, source);
}

/** A variable without levels is a setting only if it names a key at the top; SILAS_HOME, for one, is not. */
function keyOfVariable(name: string): string | null {
  if (!/^SILAS_[A-Z0-9_-]+$/.test(name)) return null;
  const key = name.slice("SILAS_".length).toLowerCase();
  if (key.includes("__")) return key.split("__").join(".");
  return CONFIG_ROWS.some((row) => row.key === key) ? key : null;
}

function readSettings(settings: readonly TextSetting[], source: Source): Layer {
  const layer = emptyLayer();
  for (const setting of settings) {
    const wrong = readSetting({ setting, source, layer });
    if (wrong !== null) layer.problems.push(wrong);
  }
  return layer;
}

type Reading = { readonly setting: TextSetting; readonly source: Source; readonly layer: Layer };

function readSetting(reading: Reading): ConfigProblem | null {
  const { setting, source, layer } = reading;
  const { key, text, origin } = setting;
  const found = findNode(setting, layer);
  if ("code" in found) return found;
  if (found.node === "list") return readList(reading, found);
  if (found.node !== "key") {
    const nearest = CONFIG_ROWS.find((row) => row.key.startsWith(`${key}.`))?.key ?? null;
    return problem("unknown_key", { key, origin, nearest });
  }
  if (found.kind.role === "secret" && origin.kind === "flag") {
    return problem("secret_in_flag", { key, origin, variable: envNameOf(key) });
  }
  const read = readText(text, { node: found, key, source, origin, originInside: () => origin });
  if (!read.ok) return read.error;
  layer.values.set(key, { value: read.value, origin });
  return null;
}

function readList({ setting, source, layer }: Reading, node: Extract<ConfigNode, { readonly node: "list" }>): null {
  const document = parseYaml(setting.text);
  const value = document.ok ? document.value.value : null;
  visit(
    { source: { ...source, originAt: () => setting.origin }, layer },
    { node, value, path: setting.key.split(".") },
  );
  return null;
}

/** The node a dotted key names; entries of name maps come into being on the way. */
function findNode({ key, origin }: TextSetting, layer: Layer): ConfigNode | ConfigProblem {
  let node: ConfigNode = CONFIG_SCHEMA;
  const path: string[] = [];
  for (const name of key.split(".")) {
    if (node.node === "map") {
      const wrong = entryProblem(name, node.names);
      if (wrong !== null) return { ...wrong, key, origin };
      path.push(name);
      layer.entries.set(path.join("."), origin);
      node = node.entry;
      continue;
    }
    const children: Readonly<Record<string, ConfigNode>> = node.node === "group" ? node.children : {};
    const child = Object.hasOwn(children, name) ? children[name] : undefined;
    if (child === undefined) {
      return problem("unknown_key", { key, origin, nearest: nearestKey(name, { path, known: Object.keys(children) }) });
    }
    path.push(name);
    node = child;
  }
  return node;
}
