import {
  CONNECTION_KEYS,
  CONNECTION_SCRIPTS,
  connectionManifestSchema,
  SKILL_DOCUMENT,
  type ConnectionManifest,
  type ConnectionScript,
} from "#model";
import type { Find } from "../skill/read-document.ts";

type Reading = { readonly own: (key: string) => unknown; readonly find: Find };

/** What SKILL.md says of a connection; null for a skill that is none, and for one that says it wrongly. [CONN-11] */
export function readConnection({ own, find }: Reading): ConnectionManifest | null {
  const type = own("type");
  if (type === null) return null;
  if (type !== "connection") {
    find.problem("key_wrong", { path: SKILL_DOCUMENT, about: "type" });
    return null;
  }
  const said = CONNECTION_KEYS.flatMap((key) => (own(key) === null ? [] : [[key, own(key)] as const]));
  const read = connectionManifestSchema.safeParse(Object.fromEntries(said));
  if (read.success) return read.data;
  for (const { path } of read.error.issues) {
    const key = String(path[0] ?? "credentials");
    find.problem(own(key) === null ? "key_missing" : "key_wrong", { path: SKILL_DOCUMENT, about: key });
  }
  return null;
}

/** Where a script of a connection lies; null when the skill has none of that name. */
export function connectionScript(paths: ReadonlySet<string>, name: ConnectionScript): string | null {
  return [`scripts/${name}.mjs`, `scripts/${name}.py`].find((path) => paths.has(path)) ?? null;
}

/** Every script a connection cannot do without is there. */
export function checkConnectionScripts(paths: ReadonlySet<string>, find: Find): void {
  for (const name of CONNECTION_SCRIPTS) {
    if (connectionScript(paths, name) === null) find.problem("connection_script_missing", { about: `scripts/${name}` });
  }
}
