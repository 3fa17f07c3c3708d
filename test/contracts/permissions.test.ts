import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  runLine,
  workDetailFromWire,
  workDetailToWire,
  type ConnectionView,
  type KeptRequest,
  type OwnerReply,
} from "#model";
import { eventsOf, TERMINAL } from "./batch-fixture.ts";
import {
  ACCESS,
  connected,
  copiedDesks,
  NOTES,
  openConnectionDesk,
  until,
  WIDER,
  type ConnectionDesk,
} from "./connection-fixture.ts";
import { must } from "./journal-fixture.ts";
import { decide, proposed, refusalOf } from "./skill-fixture.ts";

type Written = { readonly id?: string; readonly file?: string; readonly permissions?: string; readonly more?: string };
const planFor = (view: ConnectionView, written: Written = {}): string => {
  const { id = "task-note", file = "add_note", permissions = "notes.write", more = "" } = written;
  const input = file === "add_note" ? "input: { text: Milk }, " : "";
  return `---
id: ${id}
type: task
title: Use the notes
skills: [notes]
hosts: [notes.example.com]
budget: { max_attempts: 1 }
${more}
steps:
  - name: use
    tool: node_exec
    network: true
    args: { skill: notes, file: scripts/${file}.mjs, ${input}connection: ${view.record.connectionId}, permissions: [${permissions}] }
---

# What to do

Use them.
`;
};

const connectedDesk = copiedDesks(connected);

/** With the one connection there is. */
async function openConnected() {
  const desk = await connectedDesk();
  desk.service.allow();
  return { desk, view: await until(desk.app, () => true) };
}

type Running = { readonly runId: string; readonly over: Promise<void> };

async function begun(desk: ConnectionDesk, markdown: string): Promise<Running> {
  const request = await proposed(desk, markdown);
  await decide(desk, request);
  const run = must(await desk.app.work.list({ idPart: request.requestId }))[0];
  if (run === undefined) throw new Error("an approval lets a run begin");
  return { runId: run.run.runId, over: desk.app.work.runGranted(run.run.runId) };
}

/** The one request for more that waits. */
async function asked({ app }: ConnectionDesk): Promise<KeptRequest> {
  for (;;) {
    const waiting = must(await app.approvals.inbox()).find(({ kind }) => kind === "permission_escalation");
    if (waiting !== undefined) return waiting;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

const approve = async (desk: ConnectionDesk, request: KeptRequest, answer?: OwnerReply): Promise<void> => {
  const { requestId, planHash: shownHash } = request;
  const said = { requestId, verdict: "approved", shownHash, actor: TERMINAL, friction: ["tap", "confirm"] } as const;
  must(await desk.app.approvals.decide({ ...said, ...(answer === undefined ? {} : { answer }) }));
  desk.service.forget();
};
const ended = async ({ app }: ConnectionDesk, { runId, over }: Running) => {
  await over;
  return must(await app.work.show(runId)).run;
};
const grantedTo = async ({ app }: ConnectionDesk): Promise<readonly string[]> =>
  must(await app.connections.list())[0]?.record.permissionsGranted ?? [];
const adds = ({ service }: ConnectionDesk) => service.asked.filter(({ path }) => path === "/add");
const everything = ({ dataDir }: ConnectionDesk): string =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
    .join("\n");

describe("a step that uses a connection", () => {
  test("[CONN-06] runs with what was granted: the service sees the token, the script never does, and the plan says what it uses", async () => {
    const { desk, view } = await openConnected();
    const plan = planFor(view, { file: "list_notes", permissions: "notes.read" });
    const request = await proposed(desk, plan);
    expect(request.card.capabilities?.connections).toEqual([
      { by: "step:use", skill: "notes", connection_id: view.record.connectionId, permissions: ["notes.read"] },
    ]);
    expect(request.riskLevel).toBe("medium");
    const run = await ended(desk, await begun(desk, plan));
    expect(run).toMatchObject({ status: "done", lastError: null });
    expect(desk.service.asked.at(-1)).toMatchObject({ path: "/list", authorization: `Bearer ${ACCESS}` });
    const used = (await eventsOf(desk)).filter(({ event }) => event === "credential_used");
    expect(used).toHaveLength(1);
    expect(everything(desk)).not.toContain(ACCESS);
  });

  test("is proposed with exactly what its script declares, for a connection, with network", async () => {
    const { desk, view } = await openConnected();
    const differ = { code: "skill_unusable", reason: "permissions_differ" };
    expect(await refusalOf(desk, planFor(view, { permissions: "notes.read" }))).toMatchObject(differ);
    expect(await refusalOf(desk, planFor(view, { file: "list_notes", permissions: "notes.write" }))).toMatchObject(
      differ,
    );
    const plain = planFor(view).replace(/, connection: .*\] \}/, " }");
    expect(await refusalOf(desk, plain)).toMatchObject(differ);
    const offline = planFor(view).replace("    network: true\n", "");
    expect(await refusalOf(desk, offline)).toMatchObject({ code: "plan_refused" });
    expect((await proposed(desk, planFor(view))).riskLevel).toBe("high");
  });

  test("[PERM-02] does not begin for a connection that is none, or that is not connected", async () => {
    const { desk, view } = await openConnected();
    const { connectionId } = view.record;
    const other = planFor(view).replace(connectionId, "conn-0000000000000000");
    expect(await ended(desk, await begun(desk, other))).toMatchObject({
      status: "blocked",
      lastError: expect.stringContaining("there is no connection conn-0000000000000000"),
    });
    desk.service.answers.set("/me", { ok: false, error: "gone" });
    must(await desk.app.connections.check(connectionId));
    const run = await ended(desk, await begun(desk, planFor(view, { id: "task-after" })));
    expect(run).toMatchObject({ status: "blocked", lastError: expect.stringContaining(`${connectionId} is failed`) });
    expect(adds(desk)).toEqual([]);
  });
});

describe("a step that needs more than was granted", () => {
  test("[PERM-02] [PERM-03] [PERM-04] [CARD-09] [FLOW-20] waits, asks with all that is needed to decide, signs in again for that much, and runs when the record has grown", async () => {
    const { desk, view } = await openConnected();
    const running = await begun(desk, planFor(view));
    const request = await asked(desk);
    expect(request).toMatchObject({ kind: "permission_escalation", riskLevel: "medium" });
    const shown = new Map(request.card.details.rows.map(({ path, text }) => [path, text]));
    expect(shown.get("/connection_name")).toBe("Notes of Ada");
    expect(shown.get("/current_permissions/0")).toBe("notes.read");
    expect(shown.get("/requested_permissions/0")).toBe("notes.write");
    expect(shown.get("/reason")).toBe(
      'Step 1 of "Use the notes", use, runs scripts/add_note.mjs, which uses notes.write',
    );
    expect(request.card.ctas.map(({ action }) => action)).toEqual(["approve", "approve_once", "decline"]);
    expect(adds(desk)).toEqual([]);
    expect(await grantedTo(desk)).toEqual(["notes.read"]);

    await approve(desk, request);
    const waiting = await until(desk.app, ({ setup }) => setup !== null);
    expect(waiting).toMatchObject({ setup: { step_id: "code" }, record: { permissionsGranted: ["notes.read"] } });
    const device = desk.service.asked.findLast(({ path }) => path === "/device");
    expect(JSON.parse(device?.body ?? "")).toEqual({ scope: ["notes.read", "notes.write"] });
    expect(waiting.widens).toBe(request.requestId);
    const shownRun = must(await desk.app.work.show(running.runId));
    expect(shownRun).toMatchObject({ signsIn: true, run: { endedAt: null, status: "pending" } });
    expect(runLine(shownRun)).toBe("Approved, signs in again first");
    expect(workDetailFromWire(workDetailToWire(shownRun))).toEqual(shownRun);
    expect(adds(desk)).toEqual([]);
    // It asks the service again and again; what it was given is told once.
    const asks = () => desk.service.asked.filter(({ path }) => path === "/token").length;
    const before = asks();
    await expect.poll(asks).toBeGreaterThan(before + 2);
    const given = (await eventsOf(desk)).filter(
      ({ event, data }) => event === "connection_secret_used" && data.script === "setup" && data.host !== null,
    );
    expect(given).toHaveLength(1);
    desk.service.allow();
    expect(await ended(desk, running)).toMatchObject({ status: "done", lastError: null });
    expect(adds(desk)).toMatchObject([{ authorization: `Bearer ${WIDER}` }]);
    const [after] = must(await desk.app.connections.list());
    expect(after?.record).toMatchObject({
      status: "active",
      permissionsGranted: ["notes.read", "notes.write"],
      initialPermissions: ["notes.read"],
      permissions: ["observe", "act"],
    });
    const { tokenId } = must(await desk.app.approvals.show(request.requestId));
    const told = (await eventsOf(desk)).filter(({ event }) => event === "connection_widened");
    expect(told).toMatchObject([{ data: { request_id: request.requestId, token_id: tokenId, permissions: 2 } }]);
    // The next one asks nobody: it has what it needs.
    expect(await ended(desk, await begun(desk, planFor(view, { id: "task-next" })))).toMatchObject({ status: "done" });
    expect(adds(desk)).toHaveLength(2);
  });

  test("[PERM-04] leaves all as it was when signing in again does not work, and says so", async () => {
    const { desk, view } = await openConnected();
    const running = await begun(desk, planFor(view));
    await approve(desk, await asked(desk));
    desk.service.deny();
    expect(await ended(desk, running)).toMatchObject({
      status: "blocked",
      lastError: expect.stringMatching(/connection_permission \(notes\.write\).*did not give it/),
    });
    expect(must(await desk.app.connections.list())[0]).toMatchObject({
      record: { status: "active", permissionsGranted: ["notes.read"], permissions: ["observe"] },
      failure: null,
      setup: null,
    });
    expect(adds(desk)).toEqual([]);
    // What opens it is what opened it before.
    const reading = planFor(view, { id: "task-read", file: "list_notes", permissions: "notes.read" });
    expect(await ended(desk, await begun(desk, reading))).toMatchObject({ status: "done" });
    expect(desk.service.asked.at(-1)).toMatchObject({ path: "/list", authorization: `Bearer ${ACCESS}` });
    expect((await eventsOf(desk)).filter(({ event }) => event === "connection_not_widened")).toMatchObject([
      { data: { reason: "consent_denied" } },
    ]);
  });

  test("[PERM-05] [PERM-07] just this once runs it once: the record and the vault are as they were, and the next one asks again", async () => {
    const { desk, view } = await openConnected();
    const running = await begun(desk, planFor(view));
    const request = await asked(desk);
    await approve(desk, request, { duration: "once" });
    desk.service.allow();
    expect(await ended(desk, running)).toMatchObject({ status: "done" });
    expect(adds(desk)).toMatchObject([{ authorization: `Bearer ${WIDER}` }]);
    expect(await grantedTo(desk)).toEqual(["notes.read"]);
    const { tokenId } = must(await desk.app.approvals.show(request.requestId));
    const token = must(await desk.app.approvals.receipt(request.requestId));
    expect(JSON.parse(token)).toMatchObject({
      token: { token_id: tokenId, max_executions: 1, scope: "connection_manage" },
    });
    expect((await eventsOf(desk)).map(({ event }) => event)).toContain("connection_widened_once");
    // Nothing of the wider token is left: what reads goes on with the narrow one.
    const reading = planFor(view, { id: "task-read", file: "list_notes", permissions: "notes.read" });
    expect(await ended(desk, await begun(desk, reading))).toMatchObject({ status: "done" });
    expect(desk.service.asked.at(-1)).toMatchObject({ authorization: `Bearer ${ACCESS}` });
    const second = await begun(desk, planFor(view, { id: "task-second" }));
    const again = await asked(desk);
    expect(again.requestId).not.toBe(request.requestId);
    must(
      await desk.app.approvals.decide({
        requestId: again.requestId,
        verdict: "declined",
        shownHash: again.planHash,
        actor: TERMINAL,
        friction: [],
      }),
    );
    expect(await ended(desk, second)).toMatchObject({ status: "blocked" });
    expect(adds(desk)).toHaveLength(1);
    expect(everything(desk)).not.toContain(WIDER);
  });

  test("[PERM-05] [CARD-09] just this once is no choice where the service cannot give less than for good", async () => {
    const desk = await openConnectionDesk();
    const document = String(NOTES["SKILL.md"]).replace("one_time_permissions: true\n", "");
    const view = await connected(desk, { ...NOTES, "SKILL.md": document });
    const running = await begun(desk, planFor(view));
    const request = await asked(desk);
    expect(request.card.ctas.map(({ action }) => action)).toEqual(["approve", "decline"]);
    const { requestId, planHash: shownHash } = request;
    const answer = {
      requestId,
      shownHash,
      actor: TERMINAL,
      friction: ["tap", "confirm"],
      answer: { duration: "once" },
    } as const;
    expect(await desk.app.approvals.decide({ ...answer, verdict: "approved" })).toMatchObject({
      error: { code: "answer_refused", reason: "option_unknown" },
    });
    must(await desk.app.approvals.decide({ ...answer, verdict: "declined" }));
    expect(await ended(desk, running)).toMatchObject({ status: "blocked" });
  });

  test("[PERM-06] denied, it ends with an error that names what is missing, and the record is untouched", async () => {
    const { desk, view } = await openConnected();
    const before = must(await desk.app.connections.list());
    const running = await begun(desk, planFor(view));
    const { requestId, planHash: shownHash } = await asked(desk);
    const answer = { requestId, verdict: "declined", shownHash, actor: TERMINAL, friction: [] } as const;
    must(await desk.app.approvals.decide(answer));
    expect(await ended(desk, running)).toMatchObject({
      status: "blocked",
      lastError: expect.stringContaining("connection_permission (notes.write)"),
    });
    expect(must(await desk.app.connections.list())).toEqual(before);
    expect(adds(desk)).toEqual([]);
  });
});
