import { assert, constantFrom, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { hostWords, parseHostRule } from "./host-rule.ts";

const HOSTS = [
  ["a.example", "a.example"],
  ["93.184.215.14", "93.184.215.14"],
  ["[2606:4700::1111]", "2606:4700::1111"],
] as const;

describe("the port of a host", () => {
  test("is any from 1 to 65535, and the rule is written again as it was read", () => {
    assert(
      property(constantFrom(...HOSTS), integer({ min: 1, max: 65_535 }), ([written, host], port) => {
        const rule = parseHostRule(`${written}:${port}`);
        expect(rule).toEqual({ host, port });
        expect(rule === null ? null : hostWords(rule)).toBe(`${written}:${port}`);
      }),
      { examples: HOSTS.flatMap((host) => [1, 65_535].map((port): [(typeof HOSTS)[number], number] => [host, port])) },
    );
  });

  test.each(["0", "00", "65536", "65537", "99999", "100000", "080", "0443", "-1", "+1", "1e3", "4.5", "", " 80"])(
    "is not %j",
    (port) => {
      for (const [written] of HOSTS) expect(parseHostRule(`${written}:${port}`), written).toBeNull();
    },
  );

  test("is 443 where none is named", () => {
    for (const [written, host] of HOSTS) expect(parseHostRule(written)).toEqual({ host, port: 443 });
  });
});

test("a name has at most 253 characters, and each of its parts at most 63", () => {
  const part = "a".repeat(63);
  const longest = `${part}.${part}.${part}.${"b".repeat(57)}.org`;
  expect(longest).toHaveLength(253);
  expect(parseHostRule(longest)).toEqual({ host: longest, port: 443 });
  expect(parseHostRule(longest.replace(".org", "b.org"))).toBeNull();
  expect(parseHostRule(`${part}.org`)).toEqual({ host: `${part}.org`, port: 443 });
  expect(parseHostRule(`${part}a.org`)).toBeNull();
});
