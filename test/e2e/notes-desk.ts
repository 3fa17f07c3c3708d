/** A Silas with the notes service behind it and a page that may sign: what the tests of connections begin with. */
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { ConnectionViewBody, ShownRequestBody } from "#model";
import { HINT, NOTES, notesHost, type NotesHost } from "../contracts/connection-fixture.ts";
import { skillFolder } from "../contracts/skill-fixture.ts";
import { launch, openPage, PHONE, SETTLED } from "./browser.ts";
import { approveAtTerminal, terminalOf } from "./page-device.ts";
import { startServer, type Running } from "./server-start.ts";

/** The skill of the contract, with a code that outlives the slowest machine. */
const SKILL = {
  ...NOTES,
  "scripts/setup.mjs": (NOTES["scripts/setup.mjs"] ?? "").replace("expires_in: 60", "expires_in: 3600"),
};
const HOUR_MS = 3_600_000;

export type NotesDesk = { readonly running: Running; readonly service: NotesHost; readonly page: Page };

export async function openNotesDesk(): Promise<NotesDesk> {
  const service = await notesHost();
  service.expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const running = await startServer({ network: service.network });
  const browser = await launch();
  onTestFinished(async () => {
    await browser.close();
    await running.stop();
  });
  const link = running.app.enrolmentLink();
  const { page } = await openPage(browser, { link, viewport: PHONE, isAway: () => false });
  return { running, service, page };
}

export async function enrolKey({ running, page }: NotesDesk): Promise<void> {
  await page.goto(`${running.url}/settings#signing`, SETTLED);
  await page.getByRole("button", { name: "Let this device sign" }).click();
  const code = await page.getByTestId("device-code").getAttribute("data-code");
  await terminalOf(running).call("/api/keys/devices/confirm", { code });
  await page.locator("[data-device=enrolled]").waitFor();
}

type Asked = { readonly request: Pick<ShownRequestBody, "request_id" | "plan_hash"> };

/** Approves as the terminal does. */
export async function approveThere({ running }: NotesDesk, { request }: Asked): Promise<void> {
  await approveAtTerminal(running, request);
}

export async function install(desk: NotesDesk): Promise<void> {
  const terminal = terminalOf(desk.running);
  const place = skillFolder(SKILL, "notes");
  await approveThere(desk, (await terminal.call<Asked>("/api/skills/install", { place })).body);
  // Its scripts are tried before it is active.
  type Listed = { readonly skills: readonly { readonly name: string; readonly state: string }[] };
  const states = async () => (await terminal.call<Listed>("/api/skills")).body.skills.map(({ state }) => state);
  await expect.poll(states, { interval: 500 }).toEqual(["active"]);
}

export const connectionsOf = async ({ running }: NotesDesk): Promise<readonly ConnectionViewBody[]> =>
  (await terminalOf(running).call<Connections>("/api/connections")).body.connections;
type Connections = { readonly connections: readonly ConnectionViewBody[] };

/** Connected at the terminal, with what the skill begins with; answers with its id. */
export async function connect(desk: NotesDesk): Promise<string> {
  const { body } = await terminalOf(desk.running).call<Asked & { readonly connection_id: string }>(
    "/api/connections/connect",
    { skill: "notes", identity_hint: HINT },
  );
  desk.service.allow();
  await approveThere(desk, body);
  const status = async () => (await connectionsOf(desk))[0]?.record.status;
  await expect.poll(status, { interval: 200 }).toBe("active");
  desk.service.forget();
  return body.connection_id;
}
