import { expect, test } from "vitest";
import { completed, missingFrom, platformOf } from "./complete-lockfile.ts";

const asking = {
  version: "2.0.0",
  dev: true,
  optionalDependencies: { "@t/linux-x64-musl": "2.0.0", "@t/plain": "1.0.0" },
};

test("adds the platforms an entry asks for, by version and name, and nothing it cannot know", () => {
  const whole = completed({ packages: { "": {}, "node_modules/t": asking } });
  expect(whole.packages["node_modules/@t/linux-x64-musl"]).toEqual({
    version: "2.0.0",
    dev: true,
    optional: true,
    cpu: ["x64"],
    os: ["linux"],
    libc: ["musl"],
  });
  expect(missingFrom(whole).map(({ name }) => name)).toEqual(["@t/plain"]);
});

test("a whole lockfile stays as it is", () => {
  const whole = completed({ packages: { "": {}, "node_modules/t": asking } });
  expect(completed(whole)).toEqual(whole);
});

test("a package found further up is not missing", () => {
  const nested = { "node_modules/a/node_modules/b": { dependencies: { c: "1.0.0" } }, "node_modules/c": {} };
  expect(missingFrom({ packages: nested })).toEqual([]);
});

test("a name without a platform says nothing", () => {
  expect(platformOf("left-pad")).toBeNull();
  expect(platformOf("@t/binding-wasm32-wasi")).toEqual({ cpu: ["wasm32"] });
});
