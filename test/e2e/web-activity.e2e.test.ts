/** What happened, as the page tells it: sentences, who did it, the proof of each, and whether the chain holds. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { databaseIn } from "./cli-process.ts";
import {
  DESKTOP,
  goBy,
  gone,
  goOnline,
  PHONE,
  SETTLED,
  startCockpit,
  untilKept,
  type Cockpit,
  type Opened,
} from "./browser.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";

let cockpit: Cockpit;
let opened: Opened;
let page: Page;

beforeAll(async () => {
  cockpit = await startCockpit();
  opened = await cockpit.open();
  page = opened.page;
});
afterAll(() => cockpit.close());

const rows = () => page.locator("main button[data-seq]");
const sentences = (): Promise<readonly string[]> => rows().locator("bdi").allTextContents();
const chain = () => page.locator("[data-chain]");

async function visit(): Promise<void> {
  await page.goto(`${cockpit.url()}/activity`);
  await rows().first().waitFor();
}

type Line = { readonly entry: { readonly prev_hash: string }; readonly hash: string };

describe("the activity surface", () => {
  test("[PWA-12] tells what was done as sentences by day, newest first, and of whom it is asked", async () => {
    const other = await cockpit.open();
    await other.context.close();
    await page.goto(`${cockpit.url()}/settings`, SETTLED);
    await page.getByRole("button", { name: /^Revoke / }).click();
    await gone(page.getByRole("button", { name: /^Revoke / }));
    expect((await cockpit.home.silas(["journal", "import", "-"], { input: "nonsense\n" })).code).not.toBe(0);
    await goBy(page, { key: "a", to: /\/activity$/ });
    await page.getByRole("region").getByRole("heading", { level: 2 }).first().waitFor();
    await expect
      .poll(async () => (await sentences())[0])
      .toBe("Refused an import (a line of it is no record); nothing of it was written");
    const told = await sentences();
    expect(told.slice(1, 4)).toEqual([
      "Signed out Chromium on Linux",
      "Signed in Chromium on Linux",
      "Signed in Chromium on Linux",
    ]);
    expect(told.join()).toMatch(/Silas \S+ started/);
    await page.getByRole("button", { name: "Silas", exact: true }).click();
    await expect.poll(sentences).toEqual(told.slice(4));
    await page.getByRole("button", { name: "Terminal" }).click();
    await expect.poll(sentences).toEqual([told[0]]);
    await page.getByRole("button", { name: "Devices" }).click();
    await expect.poll(sentences).toEqual(told.slice(1, 4));
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect.poll(sentences).toEqual(told);
  });

  test("a line opens its proof: the entry as the chain has it, with its place and both hashes", async () => {
    await opened.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const exported = (await cockpit.home.silas(["audit", "export"])).out.trim().split("\n");
    await visit();
    await expect.poll(() => chain().textContent()).toMatch(/^New entries verified/);
    const row = rows().filter({ hasText: "Signed out" });
    await row.click();
    const sheet = page.getByRole("dialog");
    const seq = Number(await row.getAttribute("data-seq"));
    await sheet.getByRole("heading", { name: `Entry ${seq}` }).waitFor();
    const line = JSON.parse(exported.find((text) => text.includes(`"seq":${seq}}`)) ?? "") as Line;
    await expect
      .poll(() => sheet.locator("dd code").allTextContents())
      .toEqual(["device_revoked", line.hash, line.entry.prev_hash]);
    await expect.poll(() => sheet.innerText()).toContain('"device_name": "Chromium on Linux"');
    await expect.poll(() => sheet.innerText()).toMatch(new RegExp(`${seq} of \\d+`));
    await sheet.getByRole("button", { name: "Copy: Hash of this entry" }).click();
    await sheet.getByText("Copied").waitFor({ state: "attached" });
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(line.hash);
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await expect.poll(() => row.evaluate((each) => each.matches(":focus"))).toBe(true);
  });

  test.each([
    { colorScheme: "light", viewport: DESKTOP },
    { colorScheme: "dark", viewport: PHONE },
  ] as const)("axe finds nothing serious in $colorScheme at $viewport.width px", async ({ colorScheme, viewport }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await visit();
    await expect.poll(() => chain().textContent()).toMatch(/^New entries verified: \d+$/);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("nothing scrolls sideways at 320 px, with the proof open or not, and a phone gets here by its foot", async () => {
    await page.setViewportSize({ width: 320, height: 740 });
    await page.goto(`${cockpit.url()}/`);
    await page.getByRole("navigation").getByRole("link", { name: "Activity" }).click();
    await rows().first().click();
    await page.getByRole("dialog").waitFor();
    expect(await sidewaysOf(page)).toBe(0);
    expect(await page.getByRole("dialog").evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");
    expect(await sidewaysOf(page)).toBe(0);
    const least = (): Promise<number> =>
      rows().evaluateAll((all) => Math.min(...all.map((each) => each.getBoundingClientRect().height)));
    await expect.poll(least).toBeGreaterThanOrEqual(44);
    await page.setViewportSize(DESKTOP);
  });

  test("an answer that breaks off is asked for again by the page itself", async () => {
    await page.route("**/api/activity", (route) => route.fulfill({ body: '{"items":[' }), { times: 1 });
    await visit();
    await expect.poll(() => chain().textContent()).toMatch(/^New entries verified/);
  });

  test("what was read stays readable without a connection, and does not claim that the chain was checked", async () => {
    await visit();
    const told = await sentences();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    await untilKept(page, "/api/activity");
    await cockpit.stopServer();
    await page.reload();
    await rows().first().waitFor();
    await expect.poll(sentences).toEqual(told);
    await expect.poll(() => chain().textContent()).toBe("Chain not checked while offline");
    await cockpit.startServer();
    await goOnline(page);
    await expect.poll(async () => (await sentences()).slice(0, 2).join()).toMatch(/^Silas \S+ started,Silas stopped$/);
    await expect.poll(() => chain().textContent()).toMatch(/^New entries verified/);
  });

  test("what came earlier is read page after page, to the first entry", async () => {
    await page.evaluate(async () => {
      const authorization = `Bearer ${localStorage.getItem("silas.token")}`;
      for (let count = 0; count < 101; count += 1) {
        await (await fetch("/api/journal/export", { headers: { authorization } })).text();
      }
    });
    await visit();
    await expect.poll(() => rows().count()).toBe(100);
    await page.getByRole("button", { name: "Show earlier" }).click();
    await expect.poll(() => rows().count()).toBeGreaterThan(101);
    await expect.poll(async () => (await sentences()).at(-1)).toMatch(/^Brought the journal database to /);
    await gone(page.getByRole("button", { name: "Show earlier" }));
  });

  test("a changed entry is named on the page, with what to do", async () => {
    const db = databaseIn(cockpit.home.dir);
    db.exec("DROP TRIGGER audit_entries_stay");
    db.exec(`UPDATE audit_entries SET entry = replace(entry, '"at":"20', '"at":"19') WHERE seq = 2`);
    db.close();
    await visit();
    // Entry 2 lies before the last checkpoint: it is found by whoever has all of them checked.
    await page.getByRole("button", { name: "Check all entries" }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    await expect.poll(() => alert.innerText()).toContain("Entry 2 was changed");
    await expect.poll(() => alert.locator("code").textContent()).toBe("silas audit verify --full");
    expect(await faultsOf(page)).toEqual([]);
  });

  test("the page did not complain but about the server that was away", () => {
    expect(opened.complaints.filter((text) => !/Failed to load resource|WebSocket|ERR_CONNECTION/.test(text))).toEqual(
      [],
    );
  });
});
