import { expect, test } from "vitest";
import { outsideAddress } from "./outside-address.ts";

test("a link leads to an encrypted place or to this machine, and says which host it is", () => {
  for (const [text, host] of [
    ["https://login.example.com/device", "login.example.com"],
    ["https://login.example.com:8443/device?a=1#b", "login.example.com:8443"],
    ["http://localhost:4100/authorize", "localhost:4100"],
    ["http://127.0.0.1:4100/authorize", "127.0.0.1:4100"],
    ["http://127.8.9.10/", "127.8.9.10"],
    ["http://[::1]:4100/", "[::1]:4100"],
    // Letters that look like others are spelled out.
    ["https://ex\u0430mple.com/", "xn--exmple-4nf.com"],
  ] as const) {
    expect(outsideAddress(text)?.host, text).toBe(host);
    expect(URL.parse(outsideAddress(text)?.href ?? "")?.host, text).toBe(host);
  }
});

test("whatever else an address may be, it is no link", () => {
  for (const text of [
    "",
    "login.example.com",
    "//login.example.com",
    "http://login.example.com/",
    "http://localhost.example.com/",
    "http://127.0.0.1.example.com/",
    "javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<b>",
    "file:///etc/passwd",
    "https://login.example.com@evil.example/",
    "https://user:word@login.example.com/",
    "blob:https://login.example.com/1",
  ]) {
    expect(outsideAddress(text), text).toBeNull();
  }
});
