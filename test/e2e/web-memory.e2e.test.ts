/** Memory from end to end: kept at the terminal, seen and verified in the page by a signature, found, and forgotten. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MemoryItemBody } from "#model";
import { gone, PHONE, startCockpit, type Cockpit } from "./browser.ts";
import { openSigner } from "./review-desk.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

test("[TAINT-08] [MEM-03] what the terminal keeps from outside is verified in the page by a signed decision, found there, and forgotten for good", async () => {
  const { silas, json } = cockpit.home;
  const { page } = await openSigner(cockpit, { viewport: PHONE });
  const kept = await json<MemoryItemBody>(["memory", "add", "The landlord is called Ruiz", "--foreign", "--json"]);
  expect(kept).toMatchObject({ taint: "external", trust_level: "working" });
  const card = page.locator(`[data-memory="${kept.memory_id}"]`);

  await page.goto(`${cockpit.url()}/memory`);
  await expect.poll(() => card.innerText()).toContain("from outside");
  await card.getByRole("button", { name: /^Verify/ }).tap();
  await page.waitForURL(/\/review\/.+/);
  const requestId = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
  const asked = page.locator(`article[data-request="${requestId}"]`);
  await expect.poll(() => asked.getByTestId("payload-facts").innerText()).toContain("The landlord is called Ruiz");
  await asked.getByRole("button", { name: /^Approve/ }).tap();
  const shown = () => json<MemoryItemBody>(["memory", "show", kept.memory_id, "--json"]);
  await expect.poll(async () => (await shown()).trust_level).toBe("verified");
  expect(await shown()).toMatchObject({ taint: "owner", endorsed: { token_id: expect.any(String) } });

  await page.goto(`${cockpit.url()}/memory?q=landlord`);
  await expect.poll(() => card.innerText()).toContain("verified by you");
  await card.getByRole("button", { name: /^Forget/ }).tap();
  await card.getByRole("button", { name: "Forget for good" }).tap();
  await gone(card);
  const forgotten = await silas(["memory", "show", kept.memory_id]);
  expect(forgotten.code).toBe(1);
  expect(forgotten.err).toContain("There is no memory");
  expect((await silas(["activity"])).out).toContain(`Forgot the memory ${kept.memory_id.slice(-8)}`);
});
