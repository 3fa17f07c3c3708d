import { describe, expect, test } from "vitest";
import { createAllowedCallers } from "./request-guard.ts";

const callers = createAllowedCallers({ scheme: "http", host: "127.0.0.1", port: 8420, publicUrl: null });

describe("allowed callers", () => {
  test.each(["localhost:8420", "127.0.0.1:8420", "[::1]:8420", "LOCALHOST:8420"])("%s is our own host", (host) => {
    expect(callers.isHost(host)).toBe(true);
  });

  test.each([
    undefined,
    "",
    "localhost",
    "localhost:8421",
    "localhost:84200",
    "localhost.:8420",
    "localhost:8420.evil.example",
    "evil.example:8420",
    "127.0.0.1.nip.io:8420",
    "0.0.0.0:8420",
    "[::ffff:127.0.0.1]:8420",
    "user@localhost:8420",
    "localhost:8420, evil.example",
    " localhost:8420",
  ])("%s is not", (host) => {
    expect(callers.isHost(host)).toBe(false);
  });

  test.each(["http://localhost:8420", "http://127.0.0.1:8420", "http://[::1]:8420"])("%s is our own page", (origin) => {
    expect(callers.isOrigin(origin)).toBe(true);
  });

  test.each([
    "null",
    "",
    "https://localhost:8420",
    "http://localhost",
    "http://localhost:8421",
    "http://localhost:8420/",
    "http://localhost:8420.evil.example",
    "http://evil.example",
    "http://notlocalhost:8420",
    "file://",
    "http://localhost:8420 http://evil.example",
  ])("%s is not", (origin) => {
    expect(callers.isOrigin(origin)).toBe(false);
  });

  test("binding to every interface allows no further name", () => {
    const everywhere = createAllowedCallers({ scheme: "http", host: "0.0.0.0", port: 8420, publicUrl: null });
    expect(everywhere.isHost("0.0.0.0:8420")).toBe(false);
    expect(everywhere.isHost("192.168.1.5:8420")).toBe(false);
  });

  test("the public address is allowed whole, with its own scheme", () => {
    const open = createAllowedCallers({
      scheme: "http",
      host: "127.0.0.1",
      port: 8420,
      publicUrl: "https://silas.example",
    });
    expect(open.isHost("silas.example")).toBe(true);
    expect(open.isOrigin("https://silas.example")).toBe(true);
    expect(open.isOrigin("http://silas.example")).toBe(false);
    expect(open.isHost("x.silas.example")).toBe(false);
  });
});

describe("the configured host", () => {
  const at = (host: string, port: number, scheme: "http" | "https" = "http") =>
    createAllowedCallers({ scheme, host, port, publicUrl: null });

  test.each([
    ["silas.lan", "silas.lan"],
    ["Silas.LAN", "silas.lan"],
    ["192.168.1.5", "192.168.1.5"],
    ["fd00::5", "[fd00::5]"],
    ["[fd00::5]", "[fd00::5]"],
  ])("%s is ours as %s, with its port", (host, name) => {
    const known = at(host, 8420);
    expect([known.isHost(`${name}:8420`), known.isOrigin(`http://${name}:8420`)]).toEqual([true, true]);
    expect([known.isHost(name), known.isHost(`${name}:80`), known.isOrigin(`https://${name}:8420`)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test.each(["0.0.0.0", "::", "[::]", ""])("%j, which is every interface, names nobody", (host) => {
    const known = at(host, 8420);
    expect([known.isHost("0.0.0.0:8420"), known.isHost("[::]:8420"), known.isHost(":8420")]).toEqual([
      false,
      false,
      false,
    ]);
    expect(known.isHost("localhost:8420")).toBe(true);
  });

  test.each([
    [80, "http", true],
    [443, "https", true],
    [443, "http", false],
    [80, "https", false],
  ] as const)("on port %i of %s may be named without it: %s", (port, scheme, may) => {
    const known = at("silas.lan", port, scheme);
    expect([known.isHost("silas.lan"), known.isOrigin(`${scheme}://silas.lan`)]).toEqual([may, may]);
    expect(known.isHost(`silas.lan:${port}`)).toBe(true);
  });
});
