import * as z from "zod/mini";
import type { ConfigGroup, ConfigKey, ConfigNode } from "../config-nodes.ts";

/** JSON Schema as far as this house writes it: of one map with named values. */
type JsonSchema = {
  readonly type: "object";
  readonly properties: { readonly [name: string]: object };
  readonly required: readonly string[];
  readonly additionalProperties: false;
};

/**
 * The JSON Schema of a record, with what each value means. It says less than the parser does (a text that hides
 * characters fits it, for example), so that whoever is given it still has its values parsed.
 */
export function jsonSchemaOf({ children }: ConfigGroup): JsonSchema {
  const keys = Object.entries(children);
  return {
    type: "object",
    properties: Object.fromEntries(keys.map(([name, node]) => [name, valueSchema(node)])),
    required: keys.flatMap(([name, node]) => (node.node === "key" && node.presence === "required" ? [name] : [])),
    additionalProperties: false,
  };
}

function valueSchema(node: ConfigNode): object {
  switch (node.node) {
    case "key":
      return keySchema(node);
    case "group":
      return jsonSchemaOf(node);
    case "list":
      return { type: "array", items: jsonSchemaOf(node.item), maxItems: node.itemsMax, description: node.doc };
    case "map":
      return { type: "object", additionalProperties: valueSchema(node.entry), description: node.doc };
  }
}

function keySchema({ kind, doc, presence, fallback }: ConfigKey): object {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(kind.schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      // Not every provider reads classes of Unicode characters, and the parser refuses what they would.
      if (jsonSchema.pattern?.includes("\\p{") === true) delete jsonSchema.pattern;
    },
  });
  const shape = Object.keys(schema).length === 0 ? { type: "object" } : schema;
  return { ...shape, description: doc, ...(presence === "default" ? { default: fallback } : {}) };
}
