import { expect, test } from "vitest";
import { cameBy, isPrivatePath } from "./private-path.ts";

const LOOPBACK = { host: "127.0.0.1", tls: null };
const EVERYWHERE = { host: "0.0.0.0", tls: null };
const TLS = { host: "0.0.0.0", tls: { cert: "", key: "" } };
const plain = (host: string, by: "itself" | "proxy" = "itself") => ({ protocol: "http", host, by }) as const;

test("[SECRET-10] plain HTTP is private only from a machine that listens to itself, by a loopback name", () => {
  for (const host of ["localhost:8420", "127.0.0.1:8420", "[::1]:8420", "localhost"]) {
    expect([host, isPrivatePath(LOOPBACK, plain(host))]).toEqual([host, true]);
    expect([host, isPrivatePath(LOOPBACK, plain(host, "proxy"))]).toEqual([host, false]);
    expect([host, isPrivatePath(EVERYWHERE, plain(host))]).toEqual([host, false]);
  }
  for (const host of ["silas.example", "localhost.evil.example:8420", "127.0.0.1.evil.example", "10.0.0.1:8420", ""]) {
    expect([host, isPrivatePath(LOOPBACK, plain(host))]).toEqual([host, false]);
  }
});

test("[SECRET-10] TLS is private, ours or that of a proxy that is believed", () => {
  expect(isPrivatePath(TLS, plain("silas.example"))).toBe(true);
  expect(isPrivatePath(EVERYWHERE, { protocol: "https", host: "silas.example", by: "proxy" })).toBe(true);
});

test("whatever a proxy adds tells that it is there", () => {
  expect(cameBy({ host: "localhost", authorization: "x" })).toBe("itself");
  for (const name of ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]) {
    expect(cameBy({ [name]: "x" })).toBe("proxy");
  }
});
