/** Passkeys, with an authenticator that Chromium plays: made, asked about exactly one decision, and taken away. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CDPSession, Page } from "playwright-core";
import type { PasskeyBody } from "#model";
import { SETTLED, startCockpit, untilSettled, type Cockpit, type Opened } from "./browser.ts";
import { declineAll, deletion, openReview, openSigner, proposePayload, type Proposed } from "./review-desk.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

type Authenticated = Opened & { readonly session: CDPSession; readonly authenticatorId: string };

/** A signing browser with an authenticator that verifies its person at once. */
async function openWithAuthenticator(): Promise<Authenticated> {
  const opened = await openSigner(cockpit);
  const session = await opened.context.newCDPSession(opened.page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { ...opened, session, authenticatorId };
}

async function addPasskey(page: Page): Promise<void> {
  await page.goto(`${cockpit.url()}/settings`, SETTLED);
  await page.getByRole("button", { name: "Add passkey" }).click();
  await page.locator("[data-passkey]").first().waitFor();
}

const listed = async (): Promise<readonly PasskeyBody[]> =>
  (await cockpit.home.json<{ readonly passkeys: readonly PasskeyBody[] }>(["keys", "passkeys", "list", "--json"]))
    .passkeys;

type Entry = { readonly event: string; readonly data: { readonly [field: string]: unknown } };
const recorded = async (event: string): Promise<readonly Entry["data"][]> => {
  const { out } = await cockpit.home.silas(["audit", "export"]);
  return out
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly entry?: Entry }).entry)
    .flatMap((entry) => (entry?.event === event ? [entry.data] : []));
};

/** The way of whoever cannot drag: two buttons instead of the slide. */
async function slide(page: Page): Promise<void> {
  await page.locator("[data-primary]").first().click();
  await page.getByRole("button", { name: "Use buttons instead" }).click();
  await page.getByRole("button", { name: /^Arm/ }).click();
  await page.getByRole("button", { name: /^Confirm/ }).click();
  await page.getByTestId("passkey-step").waitFor();
}

type Receipt = { readonly token: { readonly conditions: unknown; readonly approval_strength: string } };

async function receiptOf({ request_id: id }: Proposed): Promise<Receipt> {
  const { out } = await cockpit.home.silas(["approvals", "export", id]);
  const file = join(cockpit.home.dir, `${id}.json`);
  writeFileSync(file, out);
  const verified = await cockpit.home.silas(["approvals", "verify", file]);
  expect(verified.code, verified.out + verified.err).toBe(0);
  return JSON.parse(out) as Receipt;
}

const state = async ({ request_id: id }: Proposed): Promise<string> =>
  (await cockpit.home.json<{ readonly state: string }>(["approvals", "show", id, "--json"])).state;

/** Mints in the page, asks the authenticator something else, and sends what it answered. */
const ANSWER_ANOTHER_QUESTION = `async ({ requestId, hash, challengeBytes }) => {
  const headers = { "content-type": "application/json", authorization: "Bearer " + localStorage.getItem("silas.token") };
  const ask = async (path, json) => {
    const response = await fetch(path, json === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(json) });
    return { status: response.status, body: await response.json() };
  };
  const { body: current } = await ask("/api/keys/devices/current");
  const { body: minted } = await ask("/api/approvals/mint", {
    request_id: requestId, shown_hash: hash, friction: ["tap", "slide"], key_id: current.key.key_id,
  });
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  const given = await navigator.credentials.get({ publicKey: {
    challenge: challengeBytes === null ? bytes(minted.passkey.challenge) : Uint8Array.from(challengeBytes),
    rpId: location.hostname,
    allowCredentials: minted.passkey.credential_ids.map((id) => ({ type: "public-key", id: bytes(id) })),
    userVerification: "required",
  } });
  const signatures = minted.tokens.map(({ token_id }) => ({ token_id, signature: "A".repeat(85) + "A==" }));
  const { status, body } = await ask("/api/approvals/sign", { request_id: requestId, signatures, passkey_assertion: given.toJSON() });
  return { status, error: body.error };
}`;

describe("a passkey", () => {
  test("is added in the settings, listed in the terminal, and not added twice", async () => {
    const { page, context, complaints } = await openWithAuthenticator();
    await addPasskey(page);
    const [passkey] = await listed();
    expect(passkey).toMatchObject({ rp_id: "localhost", name: "Passkey 1 of Chromium on Linux", last_used_at: null });
    expect(await recorded("passkey_added")).toMatchObject([{ passkey_id: passkey?.passkey_id }]);
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByText("This passkey has already been added.").waitFor();
    expect(await listed()).toHaveLength(1);
    expect((await recorded("passkey_used")).map(({ purpose }) => purpose)).toEqual(["add"]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("[RISK-08] [UNDO-05] what cannot be undone is approved by slide and passkey; the token says so, and its strength stays tap", async () => {
    const opened = await openWithAuthenticator();
    const { page } = opened;
    await addPasskey(page);
    const proposed = await proposePayload(cockpit, deletion());
    await openReview(opened, cockpit, proposed.request_id);
    await slide(page);
    await page.getByRole("button", { name: "Use passkey" }).click();
    await expect.poll(() => state(proposed)).toBe("approved");
    const { token } = await receiptOf(proposed);
    expect(token).toMatchObject({
      conditions: { friction: ["tap", "slide", "strong_auth"] },
      approval_strength: "tap",
    });
    const uses = await recorded("passkey_used");
    expect(uses.at(-1)).toMatchObject({ purpose: "approval" });
    expect(await recorded("approval_granted")).toMatchObject([{ friction: ["tap", "slide", "strong_auth"] }]);
    expect(opened.complaints).toEqual([]);
    await opened.context.close();
  });

  test("[UX-11] an answer to another question, and a right answer without a signature, approve nothing", async () => {
    const opened = await openWithAuthenticator();
    const { page } = opened;
    await addPasskey(page);
    const proposed = await proposePayload(cockpit, deletion("Circular"));
    const question = { requestId: proposed.request_id, hash: proposed.plan_hash };
    const answer = (challengeBytes: readonly number[] | null) =>
      page.evaluate(`(${ANSWER_ANOTHER_QUESTION})(${JSON.stringify({ ...question, challengeBytes })})`);
    const before = (await recorded("passkey_refused")).length;
    expect(await answer(Array(32).fill(7))).toMatchObject({
      status: 409,
      error: { code: "passkey_refused", reason: "challenge_differs" },
    });
    expect((await recorded("passkey_refused")).slice(before)).toMatchObject([
      { purpose: "approval", reason: "challenge_differs" },
    ]);
    // The right answer with signatures that are none: the passkey alone approves nothing.
    expect(await answer(null)).toMatchObject({ status: 409, error: { code: "approval_signature_invalid" } });
    expect(await state(proposed)).toBe("pending");
    await declineAll(cockpit);
    await opened.context.close();
  });

  test("a person who is not verified, or closes the window, approves nothing", async () => {
    const opened = await openWithAuthenticator();
    const { page, session, authenticatorId } = opened;
    await addPasskey(page);
    const proposed = await proposePayload(cockpit, deletion("Leaflet"));
    await openReview(opened, cockpit, proposed.request_id);
    await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await slide(page);
    await page.getByRole("button", { name: "Use passkey" }).click();
    await page.getByText("No passkey was used. Nothing was signed.").first().waitFor();
    expect(await state(proposed)).toBe("pending");
    await declineAll(cockpit);
    await opened.context.close();
  });

  test("is removed only with itself or in the terminal", async () => {
    const { page, context } = await openWithAuthenticator();
    await addPasskey(page);
    const mine = await page.locator("[data-passkey]").getAttribute("data-passkey");
    const refused = await page.evaluate(
      `fetch("/api/keys/passkeys/remove", { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer " + localStorage.getItem("silas.token") }, body: JSON.stringify({ passkey_id: "${mine}", proof: null }) }).then((answer) => answer.json())`,
    );
    expect(refused).toMatchObject({ error: { code: "passkey_proof_needed" } });
    expect((await listed()).map(({ passkey_id: id }) => id)).toContain(mine);
    await page.getByRole("button", { name: /^Remove Passkey/ }).click();
    await page.getByText("This browser has no passkey.").waitFor();
    expect((await listed()).map(({ passkey_id: id }) => id)).not.toContain(mine);
    await context.close();

    const other = await openWithAuthenticator();
    await addPasskey(other.page);
    const lost = (await other.page.locator("[data-passkey]").getAttribute("data-passkey")) ?? "";
    expect((await cockpit.home.silas(["keys", "passkeys", "remove", lost])).code).toBe(3);
    expect((await cockpit.home.silas(["keys", "passkeys", "remove", lost.slice(0, 8), "--yes"])).code).toBe(0);
    await other.page.getByText("This browser has no passkey.").waitFor();
    expect((await recorded("passkey_removed")).map(({ passkey_id: id }) => id)).toEqual([mine, lost]);
    await other.context.close();
  });

  test("goes with its browser when that is signed out", async () => {
    const { page, context } = await openWithAuthenticator();
    await addPasskey(page);
    const mine = await page.locator("[data-passkey]").getAttribute("data-passkey");
    await page.getByRole("button", { name: "Sign this browser out" }).click();
    await page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    await untilSettled(page);
    expect((await listed()).map(({ passkey_id: id }) => id)).not.toContain(mine);
    await context.close();
  });
});

describe("without a passkey", () => {
  test("[RISK-02] what cannot be undone needs the slide all the same, the card says so, and so does the record", async () => {
    const opened = await openSigner(cockpit);
    const { page } = opened;
    const proposed = await proposePayload(cockpit, deletion("Catalogue"));
    await openReview(opened, cockpit, proposed.request_id);
    await slide(page);
    await page.getByText("This device has no passkey").waitFor();
    await page.getByRole("button", { name: "Sign without a passkey" }).click();
    await expect.poll(() => state(proposed)).toBe("approved");
    expect((await receiptOf(proposed)).token.conditions).toEqual({ friction: ["tap", "slide"] });
    expect((await recorded("approval_granted")).at(-1)).toMatchObject({ friction: ["tap", "slide"] });
    await opened.context.close();
  });

  test("an address of numbers is told about, with the one that works", async () => {
    const link = (await cockpit.link()).replace("localhost", "127.0.0.1");
    const context = await cockpit.openStranger();
    const page = await context.newPage();
    await page.goto(link);
    await page.locator("[data-connection=online]").waitFor();
    await page.goto(`${cockpit.url().replace("localhost", "127.0.0.1")}/settings`, SETTLED);
    await page.locator("[data-blocked=needs_name]").waitFor();
    await page.getByText(`Open ${cockpit.url()} and sign this browser in there`).waitFor();
    expect(await page.getByRole("button", { name: "Add passkey" }).count()).toBe(0);
    const begun = await page.evaluate(
      `fetch("/api/keys/passkeys/begin", { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer " + localStorage.getItem("silas.token") }, body: '{"proof":null}' }).then((answer) => answer.json())`,
    );
    expect(begun).toMatchObject({ error: { code: "passkey_needs_name", host: "127.0.0.1" } });
    await context.close();
  });
});
