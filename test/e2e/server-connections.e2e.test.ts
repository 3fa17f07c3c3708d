import { expect, onTestFinished, test } from "vitest";
import type { ConnectionViewBody } from "#model";
import { HINT, NOTES, notesHost, type NotesHost } from "../contracts/connection-fixture.ts";
import { skillFolder } from "../contracts/skill-fixture.ts";
import { approveAtTerminal, callerFor, terminalOf, type Caller, type Shown } from "./page-device.ts";
import { startServer, type Running } from "./server-start.ts";

const POLL = { interval: 50 };
type Asked = { readonly request: Shown; readonly is_new: boolean };
type Opened = { readonly running: Running; readonly service: NotesHost; readonly page: Caller };

/** A server with the skill of the notes service installed. */
async function open(): Promise<Opened> {
  const service = await notesHost();
  service.expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const running = await startServer({ network: service.network });
  onTestFinished(() => running.stop());
  return { running, service, page: callerFor(running, running.token) };
}

test("a skill is checked, installed by a decision, shown, connected, looked at, and taken away again", async () => {
  const { running, service, page } = await open();
  const terminal = terminalOf(running);
  const place = skillFolder(NOTES, "notes");
  const checked = await terminal.call("/api/skills/check", { place });
  expect(checked.body).toMatchObject({ name: "notes", report: { problems: [] } });
  const asked = await terminal.call<Asked>("/api/skills/install", { place });
  expect(asked.body.is_new).toBe(true);
  await approveAtTerminal(running, asked.body.request);
  type Skills = { readonly skills: readonly { readonly name: string; readonly state: string }[] };
  const states = async () => (await page.call<Skills>("/api/skills")).body.skills.map(({ state }) => state);
  await expect.poll(states, POLL).toEqual(["active"]);
  const shown = await page.call("/api/skills/notes");
  expect(shown.body).toMatchObject({ view: { name: "notes", connects: "Notes" }, check: { name: "notes" } });

  type Connecting = Asked & { readonly connection_id: string };
  const connect = async () =>
    (await page.call<Connecting>("/api/connections/connect", { skill: "notes", identity_hint: HINT })).body;
  const { request, connection_id: id } = await connect();
  type Viewed = { readonly connection: ConnectionViewBody };
  const show = async () => (await page.call<Viewed>(`/api/connections/${id}`)).body.connection;
  const status = async () => (await show()).record.status;
  const act = (verb: string, body: object = {}) => page.call<Viewed>(`/api/connections/${id}/${verb}`, body);
  expect((await show()).request_id).toBe(request.request_id);
  await approveAtTerminal(running, request);
  await expect.poll(async () => JSON.stringify(await show()), POLL).toContain("WXYZ-1234");
  const other = { step_id: "other", step_type: "device_code", action: "done" };
  expect(await act("step", other)).toMatchObject({ status: 409, code: "step_not_shown" });
  service.allow();
  await expect.poll(status, POLL).toBe("active");
  type Connections = { readonly connections: readonly ConnectionViewBody[] };
  const listed = await page.call<Connections>("/api/connections");
  expect(listed.body.connections.map(({ record }) => record.connection_id)).toEqual([id]);
  const looks = service.asked.length;
  expect(await act("check")).toMatchObject({ status: 200, body: { connection: { record: { connection_id: id } } } });
  expect(service.asked.length).toBeGreaterThan(looks);
  expect(await act("recover", { action: "no_such_chip" })).toMatchObject({ status: 422, code: "recovery_unknown" });
  expect(await act("remove")).toMatchObject({ status: 200 });
  expect((await page.call<Connections>("/api/connections")).body.connections).toEqual([]);
  expect(await terminal.call("/api/skills/notes/remove", {})).toMatchObject({ status: 200, body: {} });
  expect(await page.call("/api/skills/notes")).toMatchObject({ status: 404, code: "skill_unknown" });
});
