/** The key of a browser: made in the page, confirmed at the terminal, kept over a reload, ended with the session. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { MintedBody, OwnerKeyBody } from "#model";
import {
  DESKTOP,
  PHONE,
  SETTLED,
  startCockpit,
  untilKept,
  untilSettled,
  type Cockpit,
  type Opened,
} from "./browser.ts";
import { faultsOf, sidewaysOf } from "./page-faults.ts";
import { inTransit, listen, openReview, openSigner, promotion, proposePayload } from "./review-desk.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

async function openSigning(opened: Opened): Promise<void> {
  await opened.page.goto(`${cockpit.url()}/settings#signing`, SETTLED);
  await opened.page.locator("[data-device]").waitFor();
}

/** Offers the key and answers with the code that the page shows. */
async function offer(page: Page, button = "Let this device sign"): Promise<string> {
  await page.getByRole("button", { name: button }).click();
  const code = await page.getByTestId("device-code").getAttribute("data-code");
  return code ?? "";
}

async function confirm(code: string): Promise<void> {
  const ran = await cockpit.home.silas(["keys", "confirm", code]);
  expect(ran.code, ran.err).toBe(0);
}

const keys = async (): Promise<readonly OwnerKeyBody[]> =>
  (await cockpit.home.json<{ readonly keys: readonly OwnerKeyBody[] }>(["keys", "list", "--json"])).keys;
const browserKeys = async () => (await keys()).filter(({ kind }) => kind === "browser");

const READ_KEYS = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("silas-keys");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const reading = opening.result.transaction("deviceKeys").objectStore("deviceKeys").getAll();
    reading.onsuccess = () => resolve(reading.result);
  };
})`;

describe("letting a browser sign", () => {
  test("[KEY-01] its key is made in the page, cannot be read out, and counts once the terminal has confirmed its code", async () => {
    const opened = await cockpit.open();
    const { page, complaints } = opened;
    await openSigning(opened);
    await expect.poll(() => page.locator("[data-device]").getAttribute("data-device")).toBe("none");
    const code = await offer(page);
    expect(code).toMatch(/^\d{6}$/);
    const shown = async (): Promise<string> => page.getByTestId("device-code").innerText();
    await expect.poll(async () => (await shown()).replaceAll(/\D/g, "")).toBe(code);
    await page.getByText(`silas keys confirm ${code}`).waitFor();
    const size = `Number.parseFloat(getComputedStyle(document.querySelector("[data-testid=device-code]")).fontSize)`;
    await expect.poll(() => page.evaluate<number>(size)).toBeGreaterThanOrEqual(28);
    expect(await browserKeys()).toEqual([]);
    const wrong = code === "000000" ? "000001" : "000000";
    expect((await cockpit.home.silas(["keys", "confirm", wrong])).code).not.toBe(0);
    expect(await browserKeys()).toEqual([]);
    await confirm(code);
    await page.locator("[data-device=enrolled]").waitFor();

    const [key] = await browserKeys();
    const [kept] = await page.evaluate<readonly { readonly publicKey: string; readonly keyId: string }[]>(READ_KEYS);
    expect([kept?.publicKey, kept?.keyId]).toEqual([key?.public_key, key?.key_id]);
    const exported = await page.evaluate<string>(
      `${READ_KEYS}.then(([{ pair }]) => Promise.allSettled(["pkcs8", "jwk", "raw"].map((form) => crypto.subtle.exportKey(form, pair.privateKey)))).then((all) => all.map(({ status }) => status).join())`,
    );
    expect(exported).toBe("rejected,rejected,rejected");
    await page.reload();
    await page.locator("[data-device=enrolled]").waitFor();
    await page
      .locator("#signing")
      .getByText(key?.key_id.slice(0, 8) ?? "-")
      .waitFor();
    expect(complaints).toEqual([]);
    await opened.context.close();
  });

  test("signing the browser out ends its key in the same moment", async () => {
    const opened = await cockpit.open();
    await openSigning(opened);
    await confirm(await offer(opened.page));
    await opened.page.locator("[data-device=enrolled]").waitFor();
    const [kept] = await opened.page.evaluate<readonly { readonly keyId: string }[]>(READ_KEYS);
    expect((await browserKeys()).find(({ key_id: id }) => id === kept?.keyId)?.revoked_at).toBeNull();
    await opened.page.getByRole("button", { name: "Sign this browser out" }).click();
    await opened.page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    const revokedAt = async () => (await browserKeys()).find(({ key_id: id }) => id === kept?.keyId)?.revoked_at;
    await expect.poll(revokedAt).toMatch(/Z$/);
    await opened.context.close();
  });

  test("a key that is gone from the browser is explained, and a new one takes its place", async () => {
    const opened = await cockpit.open();
    const { page } = opened;
    await openSigning(opened);
    await confirm(await offer(page));
    await page.locator("[data-device=enrolled]").waitFor();
    const [lost] = await page.evaluate<readonly { readonly keyId: string }[]>(READ_KEYS);
    // The page holds the database open; what clears storage closes it first.
    await page.goto(`${cockpit.url()}/manifest.webmanifest`);
    await page.evaluate(`new Promise((resolve) => { indexedDB.deleteDatabase("silas-keys").onsuccess = resolve; })`);
    await openSigning(opened);
    await page.getByRole("heading", { name: "This device's key is gone" }).waitFor();
    await confirm(await offer(page, "Let this device sign again"));
    await page.locator("[data-device=enrolled]").waitFor();
    const after = await browserKeys();
    expect(after.find(({ key_id: id }) => id === lost?.keyId)?.revoked_at).not.toBeNull();
    await opened.context.close();
  });

  test("a revoked key is explained, and never offered again", async () => {
    const opened = await cockpit.open();
    const { page } = opened;
    await openSigning(opened);
    await confirm(await offer(page));
    await page.locator("[data-device=enrolled]").waitFor();
    const [revoked] = await page.evaluate<readonly { readonly keyId: string }[]>(READ_KEYS);
    expect((await cockpit.home.silas(["keys", "revoke", revoked?.keyId ?? "", "--yes"])).code).toBe(0);
    await page.reload();
    await page.getByRole("heading", { name: "This device's key was revoked" }).waitFor();
    await confirm(await offer(page, "Make a new key"));
    await page.locator("[data-device=enrolled]").waitFor();
    const [fresh] = await page.evaluate<readonly { readonly keyId: string }[]>(READ_KEYS);
    expect(fresh?.keyId).not.toBe(revoked?.keyId);
    await opened.context.close();
  });

  test("a code that is not that of the own key is never shown to be confirmed", async () => {
    const opened = await cockpit.open();
    const { page } = opened;
    await openSigning(opened);
    await page.route("**/api/keys/devices/current", async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { readonly enrolment: { readonly code: string } | null };
      const enrolment = body.enrolment === null ? null : { ...body.enrolment, code: "123456" };
      await route.fulfill({ response, json: { ...body, enrolment } });
    });
    await page.getByRole("button", { name: "Let this device sign" }).click();
    await page.getByRole("heading", { name: "Do not confirm this device" }).waitFor();
    await untilSettled(page);
    expect(await page.getByTestId("device-code").count()).toBe(0);
    await opened.context.close();
  });

  test("a browser that cannot keep such a key says so, and where to approve instead", async () => {
    const opened = await cockpit.open();
    await opened.page.addInitScript(
      `crypto.subtle.generateKey = () => Promise.reject(new DOMException("no Ed25519", "NotSupportedError"));`,
    );
    await openSigning(opened);
    await opened.page.getByRole("heading", { name: "This browser cannot sign" }).waitFor();
    await opened.page.getByText("silas inbox").waitFor();
    await untilSettled(opened.page);
    expect(await opened.page.getByRole("button", { name: "Let this device sign" }).count()).toBe(0);
    await opened.context.close();
  });
});

describe("what a browser signs", () => {
  test("[KEY-06] holds as long as its settings show; a token that says more on its way here is not signed", async () => {
    await cockpit.stopServer();
    mkdirSync(join(cockpit.home.dir, "config"), { recursive: true });
    writeFileSync(join(cockpit.home.dir, "config", "silas.yaml"), "silas:\n  approval:\n    default_ttl_minutes: 35\n");
    await cockpit.startServer();
    const opened = await openSigner(cockpit);
    const { page } = opened;
    await page.getByText("35 min after you sign it").waitFor();
    const proposed = await proposePayload(cockpit, promotion());
    const asked = listen(opened.context);
    const approve = async (): Promise<void> => {
      await openReview(opened, cockpit, proposed.request_id);
      await page.locator("[data-primary]").first().click();
    };
    const longer = ({ tokens: [token, ...rest], ...minted }: MintedBody): MintedBody => {
      if (token === undefined) throw new Error("there is a token");
      return { ...minted, tokens: [{ ...token, expires_at: "2099-01-01T00:00:00.000Z" }, ...rest] };
    };
    await inTransit<MintedBody>(page, "mint", longer);
    await approve();
    await page.getByText("What was to be signed is not what is shown. Nothing was signed.").first().waitFor();
    expect(asked.map(({ verb }) => verb)).not.toContain("sign");
    await page.unrouteAll();
    await approve();
    const state = async (): Promise<string> =>
      (await cockpit.home.json<{ readonly state: string }>(["approvals", "show", proposed.request_id, "--json"])).state;
    await expect.poll(state).toBe("approved");
    await opened.context.close();
  });
});

describe("the section in the settings", () => {
  test.each([
    { theme: "light", viewport: PHONE },
    { theme: "dark", viewport: DESKTOP },
  ] as const)(
    "has no accessibility fault in $theme at $viewport.width px, in any state",
    async ({ theme, viewport }) => {
      const opened = await cockpit.open({ theme, viewport });
      const { page } = opened;
      const look = async (state: string): Promise<void> => {
        await page.locator(`[data-device=${state}]`).waitFor();
        expect(await faultsOf(page, ["#signing", "#passkeys"]), state).toEqual([]);
        expect(await sidewaysOf(page), state).toBe(0);
      };
      await openSigning(opened);
      await look("none");
      const code = await offer(page);
      await look("waiting");
      await confirm(code);
      await look("enrolled");
      await page.locator("[data-vault]").waitFor();
      await opened.context.close();
    },
  );

  test("without an answer it claims nothing about keys and devices, and a list of goals that was kept says since when", async () => {
    const { page, context } = await cockpit.open();
    await page.goto(`${cockpit.url()}/goals`);
    await page.getByText("No goal was approved yet.").waitFor();
    await untilKept(page, "/api/goals");
    for (const address of ["**/api/keys", "**/api/keys/**", "**/sessions", "**/api/goals"]) {
      await page.route(address, (route) => route.abort());
    }
    await page.reload();
    await page.getByText("Offline - showing what was here at").waitFor();
    await page.goto(`${cockpit.url()}/settings`, SETTLED);
    await page.getByText("Silas cannot be reached, so the keys cannot be shown.").waitFor();
    await page.getByText("Silas cannot be reached, so they cannot be shown.").waitFor();
    await untilSettled(page);
    expect(await page.getByText("No other key is in use.").count()).toBe(0);
    await context.close();
  });

  test("a link from a card ends at its heading", async () => {
    const opened = await cockpit.open();
    await openSigning(opened);
    await expect.poll(() => opened.page.evaluate("document.activeElement?.textContent")).toBe("Signing");
    await opened.context.close();
  });
});
