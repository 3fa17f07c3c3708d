/** From a plan in a file to a receipt that anyone can check: proposed by the verb, read and signed in the page. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { highPlan, mediumPlan } from "../plan-texts.ts";
import { startCockpit, untilFocused, type Cockpit, type Opened } from "./browser.ts";
import { createHome, type Home } from "./cli-process.ts";
import { activeCard, openReview, openSigner, propose, proposeFile, summaryOf, untilIdle } from "./review-desk.ts";

let cockpit: Cockpit;
let opened: Opened;
let page: Page;
/** Where Silas never ran: no data directory, nothing to reach. */
let elsewhere: Home;
beforeAll(async () => {
  cockpit = await startCockpit();
  opened = await openSigner(cockpit);
  page = opened.page;
  elsewhere = createHome();
});
afterAll(async () => {
  await cockpit.close();
  await elsewhere.remove();
});

type Verdict = {
  readonly valid: boolean;
  readonly checks: readonly { readonly name: string; readonly outcome: string }[];
};

async function verify(receipt: string | Uint8Array): Promise<Verdict & { readonly code: number | null }> {
  const file = join(elsewhere.dir, "receipt.json");
  writeFileSync(file, receipt);
  const ran = await elsewhere.silas(["approvals", "verify", file, "--json"]);
  return { code: ran.code, ...(JSON.parse(ran.out) as Verdict) };
}
const broken = ({ checks }: Verdict): readonly string[] =>
  checks.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);

/** The receipt as the page hands it out. */
async function download(intent: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: `Download the receipt of: ${intent}` }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^silas-receipt-[0-9a-f]+\.json$/);
  return readFileSync(await file.path(), "utf8");
}

test("[FLOW-04] a plan from a file is read, signed by the browser's own key, and its receipt is proven without Silas", async () => {
  const proposed = await proposeFile(cockpit, mediumPlan());
  const card = await openReview(opened, cockpit);
  await card.waitFor();
  await expect.poll(() => card.getByTestId("card-body").textContent()).toContain(proposed.plan_hash.slice(0, 8));
  await expect.poll(() => card.getByTestId("details").textContent()).toContain("notes/week-46.md");
  await card.getByRole("button", { name: "Approve for 1 run" }).click();
  await card.getByTestId("confirm").click();
  await page.getByTestId("nothing").waitFor();
  // A receipt tells also of the run, as far as it came.
  await untilIdle(cockpit);
  const receipt = await download("Run: Gather this week's notes into one page");
  const { out } = await cockpit.home.silas(["approvals", "export", proposed.request_id]);
  expect(receipt).toBe(out);
  const parsed = JSON.parse(receipt) as {
    readonly token: { readonly conditions: unknown; readonly plan_hash: string };
    readonly key: { readonly kind: string };
  };
  expect(parsed.key.kind).toBe("browser");
  expect(parsed.token).toMatchObject({ plan_hash: proposed.plan_hash, conditions: { friction: ["tap", "confirm"] } });
  expect(await verify(receipt)).toMatchObject({ code: 0, valid: true });
  expect((await cockpit.home.silas(["audit", "verify"])).code).toBe(0);
  expect(opened.complaints).toEqual([]);
});

test("one changed byte anywhere in a browser's receipt is found, and the part that broke is named", async () => {
  const { request_id: id } = await proposeFile(cockpit, highPlan());
  await openReview(opened, cockpit);
  await activeCard(page)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await untilFocused(activeCard(page).getByRole("slider"));
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.getByTestId("nothing").waitFor();
  const { out: receipt } = await cockpit.home.silas(["approvals", "export", id]);
  expect(await verify(receipt)).toMatchObject({ code: 0, valid: true });
  // The first letter or digit of each value, so that every part of the receipt is hit at least once.
  const places = [...receipt.matchAll(/":"?(?=[0-9A-Za-z])/g)].map(({ index, 0: found }) => index + found.length);
  const step = Math.max(1, Math.floor(places.length / 12));
  const tried = places.filter((_, at) => at % step === 0);
  expect(tried.length).toBeGreaterThanOrEqual(10);
  for (const at of tried) {
    const bytes = Buffer.from(receipt);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const verdict = await verify(bytes);
    expect(verdict, `byte ${at}`).toMatchObject({ code: 1, valid: false });
    expect(broken(verdict), `byte ${at}`).not.toEqual([]);
  }
});

describe("what nobody decided", () => {
  test("a card whose time ends says that its owner did not decide, waits under Missed and can be asked again", async () => {
    await cockpit.stopServer();
    const file = join(cockpit.home.dir, "config", "silas.yaml");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "silas:\n  review:\n    approval_timeout_seconds: 3\n");
    await cockpit.startServer();
    const { request_id: id } = await propose(cockpit, mediumPlan("Soon over", "task-soon"));
    const card = await openReview(opened, cockpit, id);
    const settled = card.getByTestId("settled");
    await settled.waitFor();
    await expect.poll(() => settled.textContent()).toContain("Not decided by you");
    expect(await card.getByRole("button", { name: /^(Approve|Decline)/ }).count()).toBe(0);
    const missed = page.getByTestId("missed");
    await expect.poll(() => missed.textContent()).toContain("Run: Soon over");
    await missed.getByRole("button", { name: "Propose again" }).click();
    await missed.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show the next one" }).click();
    await page.waitForURL((url) => /\/review\/./.test(url.pathname) && !url.pathname.endsWith(id));
    await expect
      .poll(() => activeCard(page).getByRole("heading", { level: 2 }).allTextContents())
      .toEqual(["Run: Soon over"]);
    expect((await summaryOf(page)).decided.map(({ request_id: one }) => one)).not.toContain(id);
  });
});
