import type { ConfigNode, ConfigKey } from "./config-nodes.ts";

/** One line of the reference: a key as people write it, its environment variable, default and meaning. */
export type ConfigRow = {
  readonly key: string;
  readonly envName: string;
  /** The wire default, or undefined for keys inside a named entry. */
  readonly fallback: unknown;
  readonly expected: string;
  readonly doc: string;
  readonly secret: boolean;
};

/** Every key of a schema in the order it is written; a map of names shows as `profiles.*`. */
export function configRows(node: ConfigNode, parents: readonly string[] = []): readonly ConfigRow[] {
  switch (node.node) {
    case "group":
      return Object.entries(node.children).flatMap(([key, child]) => configRows(child, [...parents, key]));
    case "key":
      return [{ ...place(parents), ...keyRow(node) }];
    case "map":
      return [
        {
          ...place([...parents, "*"]),
          fallback: node.fallback,
          expected: "a map by name",
          doc: node.doc,
          secret: false,
        },
      ];
    case "list":
      return [{ ...place(parents), fallback: node.fallback, expected: "a list", doc: node.doc, secret: false }];
  }
}

/** `channels.web.port` -> `SILAS_CHANNELS__WEB__PORT`. */
export function envNameOf(key: string): string {
  return `SILAS_${key.split(".").join("__").toUpperCase()}`;
}

function place(path: readonly string[]): { readonly key: string; readonly envName: string } {
  const key = path.join(".");
  return { key, envName: envNameOf(key) };
}

function keyRow({ kind, fallback, doc }: ConfigKey) {
  return { fallback, expected: kind.expected, doc, secret: kind.role === "secret" };
}
