import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { CallbackQuery } from "#ports";
import { openCallback } from "./callback.ts";

async function open() {
  const heard: CallbackQuery[] = [];
  const callback = await openCallback((query) => heard.push(query));
  onTestFinished(() => callback.close());
  const port = Number(callback.listeningOn.split(":")[1]);
  /** The status of one request, by the words that are sent. */
  const ask = (over: { readonly method?: string; readonly path?: string; readonly host?: string } = {}) =>
    new Promise<number>((resolve, reject) => {
      const { method = "GET", path = "/callback?code=c&state=s", host = callback.listeningOn } = over;
      request({ host: "127.0.0.1", port, method, path, headers: { host }, agent: false }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0));
      })
        .once("error", reject)
        .end();
    });
  return { callback, heard, port, ask };
}

test("a browser that is led back is heard once for each time, with what it brings and no more", async () => {
  const { callback, heard, ask } = await open();
  expect(callback.uri).toBe(`http://${callback.listeningOn}/callback`);
  expect(await ask()).toBe(200);
  expect(await ask({ path: `/callback?error=${"e".repeat(99)}&other=x` })).toBe(200);
  expect(heard).toEqual([
    { code: "c", state: "s", error: "" },
    { code: null, state: "", error: "e".repeat(80) },
  ]);
});

test("another path, another method and another name for this machine are not heard", async () => {
  const { callback, heard, port, ask } = await open();
  for (const path of ["/", "/callback/", "//", "//callback", "/other?code=c"])
    expect([path, await ask({ path })]).toEqual([path, 404]);
  for (const method of ["POST", "HEAD", "OPTIONS"]) expect([method, await ask({ method })]).toEqual([method, 404]);
  for (const host of [
    `localhost:${port}`,
    `evil.example:${port}`,
    "127.0.0.1",
    `127.0.0.1:${port}.evil.example`,
    `${callback.listeningOn} `.repeat(2),
  ]) {
    expect([host, await ask({ host })]).toEqual([host, 404]);
  }
  expect(heard).toEqual([]);
});

test("it listens on the loopback address alone, and on nothing after it is closed", async () => {
  const { callback, port, ask } = await open();
  await expect(fetch(`http://127.0.0.2:${port}/callback`)).rejects.toThrow("fetch failed");
  await expect(fetch(`http://[::1]:${port}/callback`)).rejects.toThrow("fetch failed");
  callback.close();
  await expect(ask()).rejects.toThrow("ECONNREFUSED");
});
