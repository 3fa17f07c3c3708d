/** Earned autonomy from end to end: decisions are counted, a card asks, a signature changes a limit, and one tap takes it back. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AutonomyViewBody } from "#model";
import { PHONE, SETTLED, startCockpit, type Cockpit } from "./browser.ts";
import { activeCard, asTerminal, openReview, openSigner, untilIdle, type Proposed } from "./review-desk.ts";

/** A terminal may ask so often in a minute, and a slow machine is asked for minutes. */
const POLL = { interval: 200 };

let cockpit: Cockpit;
let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync("/var/tmp/silas-autonomy-"));
  writeFileSync(join(folder, "Invoice.pdf"), "An invoice");
  cockpit = await startCockpit();
});
afterAll(async () => {
  await cockpit.close();
  rmSync(folder, { recursive: true, force: true });
});

const limitOf = async (key: string): Promise<string | undefined> => {
  const { limits } = await asTerminal<AutonomyViewBody>(cockpit, "/api/autonomy");
  return limits.find((limit) => limit.key === key)?.value;
};
const size = () => limitOf("batch_review.default_size");

test("[AUTO-12] [AUTO-16] what you rarely correct becomes a card with before, after and evidence; slid it counts, and one tap on Tighten approvals takes it back", async () => {
  await cockpit.stopServer();
  mkdirSync(join(cockpit.home.dir, "config"), { recursive: true });
  // One decision argues here as thirty do.
  writeFileSync(join(cockpit.home.dir, "config", "silas.yaml"), "silas:\n  autonomy: { min_samples: 1 }\n");
  await cockpit.startServer();
  const { page } = await openSigner(cockpit, { viewport: PHONE });
  const { silas, json } = cockpit.home;
  const { request: batch } = await json<{ readonly request: Proposed }>(["tidy", folder, "--propose", "--json"]);
  expect((await silas(["approve", batch.request_id, "--hash", batch.plan_hash])).code).toBe(0);
  const { requests } = await json<{ readonly requests: readonly Proposed[] }>(["autonomy", "check", "--json"]);
  const [asked] = requests;
  if (asked === undefined) throw new Error("the decision argues for a proposal");
  await untilIdle(cockpit);
  expect(await size()).toBe("10");

  await openReview({ page }, cockpit, asked.request_id);
  const card = activeCard(page);
  const facts = card.getByTestId("payload-facts");
  await expect.poll(() => facts.innerText()).toMatch(/Widens\s+batch_review\.default_size from 10 to 15/);
  await expect.poll(() => facts.innerText()).toMatch(/batch_review\.confidence\.high_min from 0\.85 to 0\.8/);
  await expect.poll(() => facts.innerText()).toContain("1 decision on batches of files");
  for (const [path, text] of [
    ["/changes/0/current_value", "10"],
    ["/changes/0/proposed_value", "15"],
    ["/sample_size", "1"],
    ["/correction_rate", "0"],
    ["/evidence_window", "1 approved, 0 chosen from, 0 declined, 0 taken back"],
  ] as const) {
    await expect.poll(() => card.locator(`[data-row='${path}']`).innerText(), { message: path }).toContain(text);
  }
  await card.getByRole("button", { name: /^Approve/ }).tap();
  await card.getByRole("button", { name: "Use buttons instead" }).tap();
  await card.getByRole("button", { name: /^Arm/ }).tap();
  await card.getByTestId("confirm").tap();
  await expect.poll(size, POLL).toBe("15");
  expect((await silas(["autonomy", "show"])).out).toContain(`changed by approval ${asked.request_id}`);
  const origin = await silas(["config", "get", "batch_review.default_size"]);
  expect(origin.err).toContain(`changed by approval ${asked.request_id}`);

  await page.goto(`${cockpit.url()}/settings#limits`, SETTLED);
  await expect.poll(() => page.locator("[data-limit='batch_review.default_size']").innerText()).toContain("15");
  await page.getByRole("button", { name: "Tighten approvals" }).tap();
  await expect.poll(size, POLL).toBe("10");
  await expect.poll(() => page.locator("#limits").innerText()).toContain("2 limits back to the configuration");
  const told = await silas(["activity"]);
  expect(told.out).toContain("Tightened how many items one batch has, from 15 to 10, as you approved");
  expect((await silas(["autonomy", "tighten"])).err).toContain("No limit is wider than your configuration has it.");
});
