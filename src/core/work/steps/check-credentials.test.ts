import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accepted, goalFile, problems, taskFile } from "../../../../test/plan-texts.ts";
import { FILE_ALONE, planHash, projectPlan } from "../plan-hash.ts";
import { looksLikeSecret } from "./check-credentials.ts";

const plan = (credentials: string, rest = "run: ls, network: true", hosts = "[api.example.org]"): string =>
  taskFile(`hosts: ${hosts}\nsteps:\n  - { name: a, ${rest}, credentials: ${credentials} }`);
/** Codes and keys without their places. */
const found = (markdown: string): readonly string[] =>
  problems(markdown).map((problem) => problem.replace(/ \d+:\d+ /, " ").replace("steps.0.credentials", "c"));
const HEADER = "{ API: { ref: example.token, host: api.example.org } }";

describe("credentials of a step", () => {
  test("are read whole, and what they name is part of what is signed and shown", () => {
    const { item } = accepted(plan(HEADER));
    expect(item.steps[0]?.credentials).toEqual({
      API: { ref: "example.token", as: "header", host: "api.example.org", header: "authorization" },
    });
    const projection = projectPlan(item, FILE_ALONE);
    expect(projection.capabilities).toMatchObject({ secret_refs: ["example.token"] });
    expect(JSON.stringify(projection.steps)).toContain('"ref":"example.token"');
    const hashes = [
      HEADER,
      HEADER.replace("example.token", "other.token"),
      HEADER.replace("API", "KEY"),
      HEADER.replace(" }", ", header: x-api-key }"),
      "{ API: { ref: example.token, as: pipe } }",
    ].map((text) => planHash(projectPlan(accepted(plan(text)).item, FILE_ALONE)));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test("[PLAN-03] a header goes to a host of the plan, from a step that is online, and no two into one place", () => {
    expect(found(plan("{ API: { ref: a } }"))).toEqual(["missing_key c.API.host"]);
    expect(found(plan("{ API: { ref: a, host: other.example.org } }"))).toEqual([
      "credential_host_not_granted c.API.host",
    ]);
    expect(found(plan("{ API: { ref: a, host: 'api.example.org:8443' } }"))).toEqual([
      "credential_host_not_granted c.API.host",
    ]);
    expect(accepted(plan("{ API: { ref: a, host: 'api.example.org:443' } }")).item.steps).toHaveLength(1);
    const online = "run: ls, network: true }\n  - { name: b, run: ls";
    expect(found(plan(HEADER, online))).toEqual(["credential_offline steps.1.credentials.API.host"]);
    const two = "{ A: { ref: a, host: api.example.org }, B: { ref: b, host: 'api.example.org:443' } }";
    expect(found(plan(two))).toEqual(["name_repeated c.B.header"]);
    for (const header of ["host", "Content-Length", "proxy-authorization", "transfer-encoding", "x y", '"x:y"', '""']) {
      expect(found(plan(HEADER.replace(" }", `, header: ${header} }`))), header).toEqual(["wrong_value c.API.header"]);
    }
  });

  test("[PLAN-03] what is piped names no host, Silas' own tools use none, and a goal has none", () => {
    const piped = "{ KEY: { ref: a, as: pipe } }";
    expect(accepted(taskFile(`steps:\n  - { name: a, run: ls, credentials: ${piped} }`)).item.steps).toHaveLength(1);
    expect(found(plan("{ KEY: { ref: a, as: pipe, host: api.example.org, header: x-key } }"))).toEqual([
      "credential_piped c.KEY.host",
      "credential_piped c.KEY.header",
    ]);
    const tool = "tool: file_read, args: { path: a }";
    expect(found(taskFile(`steps:\n  - { name: a, ${tool}, credentials: ${piped} }`))).toEqual([
      "credential_not_for_tool c",
    ]);
    const goal = goalFile(`on_failure: spawn_task\nsteps:\n  - { name: a, run: ls, credentials: ${piped} }`);
    expect(found(goal)).toEqual(["not_for_type c"]);
    expect(found(plan("{ key: { ref: a, as: pipe } }"))).toEqual(["wrong_value c.key"]);
    expect(found(plan("{ KEY: { ref: a, as: env } }"))).toEqual(["wrong_value c.KEY.as"]);
    expect(found(plan("{ KEY: { ref: a, as: pipe, value: x } }"))).toEqual(["unknown_key c.KEY.value"]);
    expect(found(plan("{ KEY: a }"))).toEqual(["wrong_value c.KEY"]);
  });

  test("[SECRET-04] a secret where its name belongs is refused, and so are the names of Silas' own keys", () => {
    for (const ref of ["owner-signing-key", "silas-x", "A", "a b", "ghp_ABC", "../a"]) {
      expect(found(plan(`{ KEY: { ref: "${ref}", as: pipe } }`)), ref).toEqual(["wrong_value c.KEY.ref"]);
    }
    for (const ref of ["sk-0123456789abcdef", "ghp_0123456789abcdef", "x-4f9a8b7c6d5e4f3a2b1c0d", "4929123456781234"]) {
      expect(found(plan(`{ KEY: { ref: "${ref}", as: pipe } }`)), ref).toEqual([
        "credential_looks_like_secret c.KEY.ref",
      ]);
    }
    for (const ref of ["github-token", "mail.token_2026", "sk-home", "a", "the-key-of-the-shop-in-the-old-town"]) {
      expect(looksLikeSecret(ref), ref).toBe(false);
    }
  });
});

test("a part of a name is taken for a secret from 16 characters with four digits on", () => {
  expect(looksLikeSecret("abcdefghijkl0123")).toBe(true);
  expect(looksLikeSecret("abcdefghijklm012")).toBe(false);
  expect(looksLikeSecret("abcdefghijk0123")).toBe(false);
  expect([looksLikeSecret("0".repeat(16)), looksLikeSecret("0".repeat(15))]).toEqual([true, false]);
});

test("[SECRET-04] random hex, as keys are made of, is never taken for a name", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 32 }), (bytes) => {
      const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      fc.pre(/[a-f]/.test(hex) && (hex.match(/\d/g)?.length ?? 0) >= 4);
      expect(looksLikeSecret(hex)).toBe(true);
      expect(looksLikeSecret(`my-key-${hex}`)).toBe(true);
    }),
    { numRuns: 200 },
  );
});
