import { assert, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { readAuthority, readPlainTarget } from "./target.ts";

describe("where a program asks to go", () => {
  test("any port from 1 to 65535 is one, in a tunnel and in an address", () => {
    assert(
      property(integer({ min: 1, max: 65_535 }), (port) => {
        const rule = { host: "a.example", port };
        expect(readAuthority(`a.example:${port}`, null)).toEqual(rule);
        expect(readPlainTarget(`http://A.example:${port}/p?q`)).toEqual({ rule, path: "/p?q" });
      }),
      { examples: [[1], [65_535]] },
    );
  });

  test.each(["0", "00000", "65536", "99999", "443443", "-1", "x", ""])("port %j is none", (port) => {
    expect(readAuthority(`a.example:${port}`, null)).toBeNull();
    expect(readAuthority(`[2606:4700::1111]:${port}`, 80)).toBeNull();
    expect(readPlainTarget(`http://a.example:${port}/`)).toBeNull();
  });

  test("a tunnel must name its port; an address has one of its own", () => {
    expect(readAuthority("a.example", null)).toBeNull();
    expect(readPlainTarget("http://a.example")).toEqual({ rule: { host: "a.example", port: 80 }, path: "/" });
    expect(readPlainTarget("http://a.example?q")).toEqual({ rule: { host: "a.example", port: 80 }, path: "/?q" });
  });

  test.each(["", "/", "https://a.example/", "http://", "http://a b/", "http://u@a.example/", "http://a.example/#x"])(
    "%j leads nowhere",
    (url) => expect(readPlainTarget(url)).toBeNull(),
  );
});
