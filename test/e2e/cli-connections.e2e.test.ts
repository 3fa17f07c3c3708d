import { afterEach, beforeEach, expect, test } from "vitest";
import { NOTES, OPENING } from "../contracts/connection-fixture.ts";
import { skillFolder } from "../contracts/skill-fixture.ts";
import { createHome, databaseIn, type Home } from "./cli-process.ts";

const POLL = { interval: 500 };
const TOKEN = "canary-token-of-the-terminal-7";

/** The skill of the contract, for a service that is reached by nothing but the owner's word. */
const SETUP = `${OPENING}
say({ type: "setup_step", step_id: "code", step: {
  type: "device_code", verification_url: "https://notes.example.com/go", user_code: "WXYZ-1234", expires_in: 3600, poll_interval: 1,
} });
say({ type: "await_input", step_id: "code" });
await lines.next();
hand("access", "${TOKEN}");
say({ type: "completion", connection_payload: { name: "Notes of Ada", permissions_granted: ["notes.read"], token_expires_at: null } });
process.exit(0);
`;
const HEALTH = `${OPENING}
say({ healthy: true, token_expires_at: null, latency_ms: 3, error: null });
process.exit(0);
`;
const PROBE = `${OPENING}
say({ summary: "two notes" });
process.exit(0);
`;
const SKILL = {
  ...NOTES,
  "scripts/setup.mjs": SETUP,
  "scripts/health_check.mjs": HEALTH,
  "scripts/probe.mjs": PROBE,
};

let home: Home;
beforeEach(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterEach(() => home.remove());

type Request = { readonly request_id: string; readonly plan_hash: string };
type View = {
  readonly record: { readonly status: string; readonly permissions_granted: readonly string[] };
  readonly setup: { readonly step_type: string } | null;
};

test("a service is connected, looked at and removed at the terminal of a running Silas, by its approval and no sooner", async () => {
  const folder = skillFolder(SKILL, "notes");
  type Asked = { readonly request: Request };
  const { request } = await home.json<Asked>(["skills", "install", folder, "--propose", "--json"]);
  expect(await home.silas(["skills", "install", "notes", "--hash", request.plan_hash])).toMatchObject({ code: 0 });
  await home.start();
  expect((await home.silas(["connections"])).err).toContain("Nothing is connected.");

  type Connecting = Asked & { readonly connection_id: string };
  const asked = await home.json<Connecting>(["connections", "connect", "notes", "--json"]);
  const id = asked.connection_id;
  const view = () => home.json<View>(["connections", "show", id, "--json"]);
  expect(await view()).toMatchObject({ record: { status: "proposed" }, setup: null });
  const { request_id, plan_hash } = asked.request;
  expect(await home.silas(["approve", request_id, "--hash", plan_hash])).toMatchObject({ code: 0 });
  await expect.poll(async () => (await view()).setup?.step_type, POLL).toBe("device_code");
  expect((await home.silas(["connections", "show", id])).out).toContain("WXYZ-1234");
  expect((await home.silas(["inbox"])).out).toContain(id);

  expect(await home.silas(["connections", "answer", id, "done"])).toMatchObject({ code: 0 });
  const connected = { status: "active", permissions_granted: ["notes.read"] };
  await expect.poll(async () => (await view()).record, POLL).toMatchObject(connected);
  const looked = await home.silas(["connections", "check", id]);
  expect(looked).toMatchObject({ code: 0 });
  expect(looked.out).toContain("Notes of Ada");
  const database = databaseIn(home.dir, { readOnly: true });
  const kept = JSON.stringify(database.prepare("SELECT * FROM connections").all());
  database.close();
  expect(kept).not.toContain(TOKEN);

  expect((await home.silas(["connections", "remove", id])).out).toContain(`Removed ${id} and its secrets.`);
  expect((await home.silas(["connections", "show", id])).code).toBe(1);
  expect((await home.silas(["audit", "verify"])).code).toBe(0);
});
