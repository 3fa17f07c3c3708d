/** A secret from the page into the vault: the form, its states, and a search for it everywhere afterwards. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { SecretRef } from "#model";
import { systemRandomness } from "#runtime";
import { openVault } from "#stores";
import { DESKTOP, gone, goOnline, PHONE, startCockpit, untilSettled, type Cockpit, type Opened } from "./browser.ts";
import { filesIn } from "./file-tree.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";

const CANARY = "canary-e2f0-for-nobody-but-the-vault";
const SENTENCE = "Goes to your vault (encrypted file). The agent never sees it.";

let cockpit: Cockpit;
let opened: Opened;
let page: Page;
/** Everything that went over the wire but the one request that may carry a secret. */
const wire: string[] = [];
const posted: string[] = [];

beforeAll(async () => {
  cockpit = await startCockpit();
  opened = await cockpit.open();
  page = opened.page;
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => wire.push(`sent ${String(payload)}`));
    socket.on("framereceived", ({ payload }) => wire.push(`got ${String(payload)}`));
  });
  page.on("request", (request) => {
    const body = request.postData() ?? "";
    const isSecret = request.method() === "POST" && new URL(request.url()).pathname.startsWith("/secrets/");
    if (isSecret) posted.push(`${new URL(request.url()).pathname} ${body}`);
    else wire.push(`${request.url()} ${body}`);
  });
  page.on("response", (response) => {
    void response.text().then(
      (text) => wire.push(text),
      () => undefined,
    );
  });
});
afterAll(() => cockpit.close());

const ask = (name: string, ...more: string[]) =>
  cockpit.home.json<{ readonly url: string }>(["secrets", "ask", name, "--label", "Mail token", ...more, "--json"]);
const card = () => page.locator("[data-card-type=secure_input]");
const field = () => card().getByLabel("Secret", { exact: true });
const store = () => card().getByRole("button", { name: "Store in the vault" });
const reveal = () => card().getByRole("button", { name: "Show while held" });

async function kept(name: string): Promise<string | null> {
  const vault = openVault({
    dataDir: join(cockpit.home.dir, "data"),
    stateDir: join(cockpit.home.dir, "state"),
    random: systemRandomness,
    access: { passphrase: null, askPassphrase: async () => null, sessionBus: "absent" },
  });
  const got = await vault.get(name as SecretRef);
  return got.ok ? Buffer.from(got.value).toString("utf8") : null;
}

/** Every file of the home that holds the canary, in any of the forms somebody may write it. */
function filesWithCanary(): readonly string[] {
  const forms = [CANARY, Buffer.from(CANARY).toString("hex"), Buffer.from(CANARY).toString("base64").slice(0, -4)];
  return filesIn(cockpit.home.dir)
    .filter(({ bytes }) => forms.some((form) => bytes.includes(form)))
    .map(({ path }) => path);
}

describe("the page of a secret", () => {
  test("[SECRET-04] a secret that is asked for one host says which, and one for no host says nothing of it", async () => {
    await page.goto((await ask("host.token", "--host", "api.example.org")).url);
    await card().getByText("Is used for requests to api.example.org:443 and nowhere else.").waitFor();
    await page.goto((await ask("plain.token")).url);
    await field().waitFor();
    await untilSettled(page);
    expect(await card().innerText()).not.toContain("Is used for requests");
  });

  test("[CARD-06] says what is asked for, how to find it and where it goes, and claims no risk and no decision", async () => {
    const help = ["--hint", "ghp_ and 36 letters", "--instructions", "Settings, then tokens.", "--help-url"];
    const { url } = await ask("mail.token", ...help, "https://example.com/tokens");
    await page.goto(url);
    await card().waitFor();
    await expect.poll(() => card().getAttribute("data-ref")).toBe("mail.token");
    expect(await card().getAttribute("data-risk")).toBeNull();
    // Where it goes is asked of the server after the rest is shown.
    await expect.poll(() => card().innerText()).toContain(SENTENCE);
    const text = await card().innerText();
    for (const part of ["Mail token", "Settings, then tokens.", "Looks like ghp_ and 36 letters"]) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/approve|decline|risk/i);
    const link = card().getByRole("link", { name: "Help at example.com" });
    await expect.poll(() => link.getAttribute("href")).toBe("https://example.com/tokens");
    await expect.poll(() => link.getAttribute("rel")).toContain("noreferrer");
    await expect.poll(() => field().getAttribute("type")).toBe("password");
    await expect.poll(() => field().getAttribute("autocomplete")).toBe("off");
    expect(await faultsOf(page)).toEqual([]);
  });

  test("what was typed is shown only while the button is held, by pointer or key", async () => {
    await field().fill("typed");
    const type = () => field().getAttribute("type");
    await reveal().hover();
    await page.mouse.down();
    await expect.poll(type).toBe("text");
    await page.mouse.move(2, 2);
    await expect.poll(type).toBe("password");
    await page.mouse.up();
    await reveal().focus();
    for (const key of [" ", "Enter"]) {
      await page.keyboard.down(key);
      await expect.poll(type).toBe("text");
      await page.keyboard.up(key);
      await expect.poll(type).toBe("password");
    }
    await page.keyboard.down(" ");
    await field().focus();
    await expect.poll(type).toBe("password");
    await page.keyboard.up(" ");
    expect(posted).toEqual([]);
  });

  test("an empty field is not sent, and says so", async () => {
    await field().fill("");
    await store().click();
    await expect.poll(() => card().getByRole("alert").innerText()).toBe("Type or paste the secret first.");
    expect(posted).toEqual([]);
    await field().fill("x".repeat(16_385));
    await store().click();
    await expect.poll(() => card().getByRole("alert").innerText()).toContain("at most 16,384 bytes");
    expect(posted).toEqual([]);
  });

  test("a vault that fails is said, the field is empty, and it can be typed again", async () => {
    await page.route("**/secrets/mail.token", (route) =>
      route.fulfill({
        status: 503,
        json: { error: { code: "vault_locked", message: "The vault is locked." }, error_id: "e1" },
      }),
    );
    await field().fill(CANARY);
    await store().click();
    await card().getByRole("alert").waitFor();
    await expect
      .poll(() => card().getByRole("alert").innerText())
      .toContain("The vault is locked. The field was cleared.");
    expect(await field().inputValue()).toBe("");
    await page.unroute("**/secrets/mail.token");
  });

  test("[SECRET-05] [CARD-06] is sent once, as JSON to its own address, and the page says that it is stored", async () => {
    posted.length = 0;
    await opened.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(CANARY)})`);
    await field().focus();
    await page.keyboard.press("Control+V");
    await expect.poll(() => field().inputValue()).toBe(CANARY);
    await page.evaluate("navigator.clipboard.writeText('nothing')");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Stored in the vault." }).waitFor();
    expect(posted).toEqual([`/secrets/mail.token {"value":"${CANARY}"}`]);
    expect(await kept("mail.token")).toBe(CANARY);
    await gone(card());
    await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe("Stored in the vault.");
    expect(await faultsOf(page)).toEqual([]);
  });

  test("[SECRET-03] afterwards it is in no file, frame, answer, page or storage of the browser", async () => {
    expect(await page.content()).not.toContain(CANARY);
    const inputs = await page
      .locator("input")
      .evaluateAll((all) => all.map((each) => (each as { value?: string }).value));
    expect(inputs.join()).not.toContain(CANARY);
    await untilSettled(page);
    expect(await page.evaluate(EVERYTHING_KEPT)).not.toContain(CANARY);
    expect(page.url() + (await page.title())).not.toContain(CANARY);
    expect(wire.length).toBeGreaterThan(3);
    expect(wire.filter((text) => text.includes(CANARY))).toEqual([]);
    expect(opened.complaints.filter((text) => text.includes(CANARY))).toEqual([]);
    expect(filesWithCanary()).toEqual([]);
    const said = await Promise.all(
      [["logs"], ["activity"], ["audit", "export"], ["secrets", "list", "--json"]].map((args) =>
        cockpit.home.silas(args),
      ),
    );
    expect(said.map(({ out, err }) => out + err).join()).not.toContain(CANARY);
    expect(said[1]?.out).toContain("Stored the secret mail.token in the vault");
  });

  test("what is stored or unknown is said with the way on, and nothing can be typed", async () => {
    await page.reload();
    await page.getByRole("heading", { name: "This secret is stored already." }).waitFor();
    await expect.poll(() => page.locator("main code").innerText()).toBe("silas secrets set mail.token");
    await page.goto(`${cockpit.url()}/secrets/never-asked`);
    await page.getByRole("heading", { name: "Nothing asks for a secret here." }).waitFor();
    await untilSettled(page);
    expect(await page.locator("main input").count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a page that is open hears that somebody else stored it", async () => {
    await page.goto((await ask("second")).url);
    await card().waitFor();
    await cockpit.home.silas(["secrets", "set", "second", "--stdin"], { input: "typed elsewhere\n" });
    await page.getByRole("heading", { name: "This secret is stored already." }).waitFor();
  });

  test("offline nothing can be sent, and the reason is given", async () => {
    await page.goto((await ask("third")).url);
    await card().waitFor();
    await cockpit.stopServer();
    await card().getByText("You are offline.").waitFor();
    await expect.poll(() => store().isDisabled()).toBe(true);
    await expect.poll(() => field().isDisabled()).toBe(true);
    await cockpit.startServer();
    await goOnline(page);
    await expect.poll(() => store().isDisabled()).toBe(false);
  });

  test("it fits a phone: no sideways scrolling, nothing smaller than a finger", async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${cockpit.url()}/secrets/third`);
    await card().waitFor();
    expect(await sidewaysOf(page)).toBe(0);
    for (const part of [field(), store(), reveal()])
      await expect.poll(async () => (await part.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize(DESKTOP);
    expect(await sidewaysOf(page)).toBe(0);
  });

  test("the page did not complain but about refusals and the server that was away", () => {
    expect(opened.complaints.filter((text) => !/Failed to load resource|WebSocket|ERR_CONNECTION/.test(text))).toEqual(
      [],
    );
  });
});

/** Local and session storage, every cache by address, and every row of every database of the origin. */
const EVERYTHING_KEPT = `(async () => {
  const found = [JSON.stringify(localStorage), JSON.stringify(sessionStorage)];
  for (const name of await caches.keys()) {
    for (const request of await (await caches.open(name)).keys()) found.push(request.url);
  }
  for (const { name } of await indexedDB.databases()) {
    const db = await new Promise((resolve) => { const asked = indexedDB.open(name); asked.onsuccess = () => resolve(asked.result); });
    for (const store of db.objectStoreNames) {
      found.push(await new Promise((resolve) => {
        const asked = db.transaction(store).objectStore(store).getAll();
        asked.onsuccess = () => resolve(JSON.stringify(asked.result));
      }));
    }
    db.close();
  }
  return found.join();
})()`;
