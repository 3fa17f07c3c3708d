import { assert, constantFrom, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { secretText } from "../config-nodes.ts";
import { modelSetting } from "./model-place.ts";

const KEY = secretText("sk-canary");
const settingFor = (planner: string, baseUrl: string | null, apiKeyRef: string | null = null) =>
  modelSetting({ models: { planner }, providers: { openrouter: { apiKey: KEY }, compatible: { baseUrl, apiKeyRef } } });
const settingOf = (baseUrl: string) => settingFor("compatible:m", baseUrl);

const BASES = ["http://127.0.0.1", "http://localhost", "http://[::1]", "https://models.example"] as const;

describe("the port in the address of a model", () => {
  test("is any from 1 to 65535, on this machine and elsewhere", () => {
    assert(
      property(constantFrom(...BASES), integer({ min: 1, max: 65_535 }), (base, port) => {
        expect(settingOf(`${base}:${port}/v1`)).toMatchObject({
          kind: "set",
          place: { port, baseUrl: `${base}:${port}/v1` },
        });
      }),
      { examples: BASES.flatMap((base) => [1, 65_535].map((port): [(typeof BASES)[number], number] => [base, port])) },
    );
  });

  test.each(["0", "00", "65536", "99999", "100000", "-1", "x", ""])("is not %j", (port) => {
    for (const base of BASES) {
      expect(settingOf(`${base}:${port}/v1`), base).toEqual({ kind: "absent", reason: "address_refused" });
    }
  });

  test("is the usual one where none is named", () => {
    expect(settingOf("https://models.example/v1")).toMatchObject({ place: { port: 443, reach: "remote" } });
    expect(settingOf("http://localhost/v1")).toMatchObject({ place: { port: 80, reach: "local" } });
  });
});

test("each key goes to the provider that it was saved for, and to no other", () => {
  const keyOf = (planner: string) => settingFor(planner, "https://models.example/v1", "model.key");
  expect(keyOf("openrouter:a:b")).toMatchObject({ place: { model: "a:b", key: { kind: "setting", secret: KEY } } });
  expect(keyOf("compatible:m")).toMatchObject({ place: { key: { kind: "vault", ref: "model.key" } } });
  expect(keyOf("ollama:m")).toMatchObject({ place: { key: { kind: "none" } } });
});
