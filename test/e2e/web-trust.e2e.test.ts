/** Who may use the page: the one-time link, and pages of other origins. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SETTLED, startCockpit, titlesOf, untilNone, untilSettled, type Cockpit } from "./browser.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

/** How many answers of the journal a signed-out browser still has. */
const COUNT_READS = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("silas");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const counting = opening.result.transaction("reads").objectStore("reads").count();
    counting.onsuccess = () => resolve(counting.result);
  };
})`;

describe("the enrolment link", () => {
  test("signs a browser in, is gone from address and history at once, and does not work twice", async () => {
    const link = await cockpit.link();
    const code = link.split("#")[1] ?? "";
    expect(code.length).toBeGreaterThan(15);
    const context = await cockpit.openStranger();
    const page = await context.newPage();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(link);
    await page.locator("[data-connection=online]").waitFor();
    await page.waitForURL(`${cockpit.url()}/`);
    expect(requests.filter((url) => url.replace(link, "").includes(code))).toEqual([]);
    const kept = JSON.stringify(await page.evaluate("({ ...localStorage, cookie: document.cookie })"));
    expect(kept).not.toContain(code);
    expect(JSON.parse(kept)).toMatchObject({ cookie: "" });
    await page.goto(`${cockpit.url()}/tasks`);
    await page.goBack();
    expect(page.url()).not.toContain(code);

    const second = await (await cockpit.openStranger()).newPage();
    await second.goto(link);
    await second.getByRole("heading", { name: "That link does not work any more" }).waitFor();
    expect(second.url()).not.toContain(code);
    await second.context().close();
    await context.close();
  });

  test("a browser without a session is told what to do and shown nothing else", async () => {
    const page = await (await cockpit.openStranger()).newPage();
    await page.goto(`${cockpit.url()}/tasks`);
    await page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    await untilSettled(page);
    expect(await page.getByRole("navigation").count()).toBe(0);
    await page.context().close();
  });

  test("a revoked browser is signed out where it stands", async () => {
    const { page, context } = await cockpit.open();
    const other = await cockpit.open();
    await page.goto(`${cockpit.url()}/settings`, SETTLED);
    const devices = page.getByRole("listitem").filter({ hasText: "last seen" });
    await expect.poll(() => devices.count()).toBeGreaterThan(1);
    const revoke = devices.getByRole("button", { name: /^Revoke/ });
    for (let left = await revoke.count(); left > 0; left -= 1) {
      await revoke.first().click();
      await expect.poll(() => revoke.count()).toBe(left - 1);
    }
    await other.page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    await untilSettled(other.page);
    expect(await other.page.evaluate("localStorage.getItem('silas.token')")).toBe(null);
    await untilNone(() => other.page.evaluate(COUNT_READS));
    await context.close();
    await other.context.close();
  });
});

test("a page whose socket is closed before it could say who it is stays signed in and comes back", async () => {
  const { page, context } = await cockpit.open();
  let closed = 0;
  await page.routeWebSocket(/\/ws$/, async (socket) => {
    if (closed > 0) return void socket.connectToServer();
    closed += 1;
    await socket.close({ code: 4001, reason: "not authenticated" });
  });
  await page.reload();
  await expect.poll(() => closed).toBe(1);
  await page.locator("[data-connection=online]").waitFor();
  await expect.poll(() => page.evaluate("localStorage.getItem('silas.token')")).not.toBe(null);
  await context.close();
});

describe("a page on another origin", () => {
  let foreign: Server;
  beforeAll(async () => {
    foreign = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>elsewhere</title>");
    });
    await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => new Promise((resolve) => foreign.close(resolve)));

  test("can neither read nor write, by fetch, form, frame or socket, even with a stolen token", async () => {
    const { page, context } = await cockpit.open();
    const token = await page.evaluate<string>("localStorage.getItem('silas.token')");
    const attacker = await context.newPage();
    await attacker.goto(`http://localhost:${(foreign.address() as AddressInfo).port}/`);
    const tried = await attacker.evaluate<readonly string[]>(
      `(${attack.toString()})(${JSON.stringify({ target: cockpit.url(), token })})`,
    );
    expect(tried).toEqual([
      "read: refused",
      "write: refused",
      "simple write: opaque",
      "socket: refused",
      "frame: refused",
    ]);
    expect(await titlesOf(cockpit.home, "open")).not.toContain("planted");
    await context.close();
  });
});

/** Runs inside the foreign page, so it is handed over as text. */
/* oxlint-disable */
async function attack({ target, token }: { target: string; token: string }): Promise<string[]> {
  const command = { operationId: "evil-1", command: { kind: "task.create", title: "planted" } };
  const body = JSON.stringify(command);
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const read = await fetch(`${target}/api/status`, { headers }).then(
    () => "read: answered",
    () => "read: refused",
  );
  const write = await fetch(`${target}/api/journal/command`, { method: "POST", headers, body }).then(
    () => "write: answered",
    () => "write: refused",
  );
  const simple = await fetch(`${target}/api/journal/command`, { method: "POST", mode: "no-cors", body }).then(
    (response) => `simple write: ${response.type}`,
    () => "simple write: opaque",
  );
  const socket = await new Promise<string>((resolve) => {
    const ws = new WebSocket(`${target.replace("http", "ws")}/ws`);
    ws.onopen = () => ws.send(JSON.stringify({ type: "auth", token }));
    ws.onmessage = (message) => resolve(`socket: ${String(message.data)}`);
    ws.onclose = () => resolve("socket: refused");
  });
  const page = (globalThis as any).document;
  const frame = await new Promise<string>((resolve) => {
    const element = page.createElement("iframe");
    element.src = `${target}/`;
    element.onload = () => {
      let inside = "refused";
      try {
        inside = element.contentDocument === null ? "refused" : "read";
      } catch {
        inside = "refused";
      }
      resolve(`frame: ${inside}`);
    };
    page.body.append(element);
  });
  return [read, write, simple, socket, frame];
}
/* oxlint-enable */
