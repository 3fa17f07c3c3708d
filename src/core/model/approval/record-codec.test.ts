import { expect, test } from "vitest";
import { camelKey, snakeKey, toCamel, toSnake } from "./record-codec.ts";
import { CONFIG_SCHEMA } from "../config-schema.ts";
import { configRows } from "../config-rows.ts";

test("every key of the schema survives the way to camelCase and back", () => {
  for (const { key } of configRows(CONFIG_SCHEMA)) {
    for (const part of key.split(".")) expect(snakeKey(camelKey(part))).toBe(part);
  }
});

test("names the owner chose and parameters of others are not renamed", () => {
  const wire = {
    context: { default_profile: "deep_work", profiles: { deep_work: { chronicle_pct: 0.1 } } },
    personality: { mood: { event_weights: { ci_failure: { mood: {}, axes: {} } } } },
    gates: { system: [{ name: "a", on_block: "report", config: { max_size: 1 } }] },
  };
  const config = toCamel(CONFIG_SCHEMA, wire);
  expect(config).toEqual({
    context: { defaultProfile: "deep_work", profiles: { deep_work: { chroniclePct: 0.1 } } },
    personality: { mood: { eventWeights: { ci_failure: { mood: {}, axes: {} } } } },
    gates: { system: [{ name: "a", onBlock: "report", config: { max_size: 1 } }] },
  });
  expect(toSnake(CONFIG_SCHEMA, config)).toEqual(wire);
});
