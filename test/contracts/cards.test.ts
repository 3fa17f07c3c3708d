import { describe, expect, test } from "vitest";
import type { ConnectionViewBody } from "#model";
import { approved, askedBy, eventually, openHouse, type House, type Said } from "./card-fixture.ts";
import {
  answered,
  APPROVE,
  DECLINE,
  KINDS,
  MINUTE_MS,
  NO_VERDICT,
  plan,
  REQUEST,
  said,
  waitingOf,
  type Kind,
  type Outcome,
} from "./card-kinds.ts";
import { HINT, NOTES, OPENING } from "./connection-fixture.ts";
import { skillFolder } from "./skill-fixture.ts";

async function tried(kind: Kind): Promise<void> {
  const house = await openHouse(kind.furnished);
  await kind.prepare?.(house);
  const waits = async (id: string): Promise<void> => {
    await expect.poll(() => kind.onPage(house)).toContain(id);
    expect(await kind.inTerminal(house)).toContain(id);
    expect(await kind.stateOf(house, id)).toBe("pending");
  };
  const closed = async (id: string, { say, state }: Outcome): Promise<void> => {
    expect(await say(house, id)).toMatchObject({ code: null });
    expect(await kind.stateOf(house, id)).toBe(state);
    expect(await kind.onPage(house)).not.toContain(id);
    for (const again of Object.values(kind.outcomes)) expect((await again.say(house, id)).code).not.toBeNull();
    expect(await kind.stateOf(house, id)).toBe(state);
  };
  const first = await kind.make(house);
  await waits(first);
  await kind.shown(house, first);
  await house.reopen();
  await waits(first);
  for (const [say, code] of kind.outside) {
    expect((await say(house, first)).code).toBe(code);
    await waits(first);
  }
  const [one, ...others] = Object.values(kind.outcomes);
  if (one === undefined) throw new Error("a card has outcomes");
  await closed(first, one);
  // Nobody's answer, whatever the time: it is missed, and no outcome comes after it.
  const late = await kind.make(house);
  await waits(late);
  const before = await kind.untouched?.(house);
  await kind.pass(house);
  await expect.poll(() => kind.missed(house)).toContain(late);
  expect(await kind.stateOf(house, late)).toBe("expired");
  expect(await kind.onPage(house)).not.toContain(late);
  for (const { say } of Object.values(kind.outcomes)) expect((await say(house, late)).code).not.toBeNull();
  expect(await kind.stateOf(house, late)).toBe("expired");
  expect(await kind.untouched?.(house)).toEqual(before);
  for (const outcome of others) await closed(await kind.make(house), outcome);
}

/** A setup that goes on as its step is answered. */
const ANSWERED_SETUP = {
  ...NOTES,
  "scripts/setup.mjs": `${OPENING}
say({ type: "setup_step", step_id: "code", step: {
  type: "device_code", verification_url: "https://notes.example.com/go", user_code: "WXYZ-1234", expires_in: 600, poll_interval: 1,
} });
say({ type: "await_input", step_id: "code" });
const { payload } = JSON.parse((await lines.next()).value);
if (payload.action === "done") {
  const got = await ask("/token", {});
  hand("access", got.access_token);
  hand("refresh", got.refresh_token);
  say({ type: "completion", connection_payload: { name: "Notes of Ada", permissions_granted: ["notes.read"] } });
} else {
  say({ type: "failure", failure: { failure_type: "mfa_required", service: "Notes", message: "It asks for more.", recovery_options: [] } });
}
process.exit(0);
`,
};

async function connections(house: House): Promise<readonly ConnectionViewBody[]> {
  return (await house.page("/api/connections"))["connections"] as readonly ConnectionViewBody[];
}
const connectionOf = async (house: House, id: string): Promise<ConnectionViewBody | undefined> =>
  (await connections(house)).find(({ record }) => record.connection_id === id);
const connectionThat = (house: House, isSo: (view: ConnectionViewBody) => boolean): Promise<ConnectionViewBody> =>
  eventually(async () => (await connections(house)).find(isSo));

/** What its failure card says and offers; null for one without such a card. */
function failureOf({ failure }: ConnectionViewBody) {
  return failure?.card_type === "connection_failure" ? failure : null;
}

async function installed(house: House, files: Readonly<Record<string, string>>): Promise<void> {
  const body = await house.done("/api/skills/install", { place: skillFolder(files, "notes") });
  await approved(house, (body["request"] as { readonly request_id: string }).request_id);
}

async function connecting(house: House): Promise<void> {
  const body = await house.done("/api/connections/connect", { skill: "notes", identity_hint: HINT });
  await approved(house, (body["request"] as { readonly request_id: string }).request_id);
}

/** The step of a setup that waits, by the connection it is for. */
async function stepShown(house: House): Promise<string> {
  await connecting(house);
  return (await connectionThat(house, ({ setup }) => setup !== null)).record.connection_id;
}
const stepSaid = (house: House, { id, action }: { readonly id: string; readonly action: string }): Promise<Said> =>
  house.terminal(`/api/connections/${id}/step`, { step_id: "code", step_type: "device_code", action });
const recovered = (house: House, { id, action }: { readonly id: string; readonly action: string }): Promise<Said> =>
  house.terminal(`/api/connections/${id}/recover`, { action });

const USE = (id: string): string => `skills: [notes]
hosts: [notes.example.com]
steps:
  - name: use
    tool: node_exec
    network: true
    args: { skill: notes, file: scripts/add_note.mjs, input: { text: Milk }, connection: ${id}, permissions: [notes.write] }`;

const ESCALATION: Kind = {
  ...REQUEST,
  prepare: async (house) => {
    house.service.allow();
    await installed(house, NOTES);
    await connecting(house);
    await connectionThat(house, ({ record }) => record.status === "active");
  },
  make: async (house) => {
    // A sign-in that goes on holds up the next one.
    const { record } = await connectionThat(house, ({ record: { status } }) => status === "active");
    return askedBy(house, plan(house, USE(record.connection_id)), "permission_escalation");
  },
  outcomes: { deny: DECLINE, "just this once": answered({ duration: "once" }), approve: APPROVE },
  outside: [NO_VERDICT, [said({ verdict: "approved", answer: { duration: "always" } }), "invalid_input"]],
};

describe("every card goes out, is kept, and is closed by its outcomes alone", () => {
  for (const [name, kind] of Object.entries({ ...KINDS, "permission escalation": ESCALATION })) {
    test(`[CARD-17] [FLOW-15] [FLOW-17] [FLOW-23] ${name}`, () => expect(tried(kind)).resolves.toBeUndefined());
  }

  test("[CARD-17] [FLOW-15] [FLOW-17] connection setup step and connection failure", async () => {
    const house = await openHouse();
    house.service.allow();
    await installed(house, ANSWERED_SETUP);
    const id = await stepShown(house);
    const waits = async (): Promise<void> => {
      const waiting = {
        record: { connection_id: id, status: "connecting" },
        setup: { card: { card_type: "device_code" } },
      };
      expect(await connectionOf(house, id)).toMatchObject(waiting);
      expect((await house.done("/api/connections"))["connections"]).toMatchObject([waiting]);
    };
    await waits();
    for (const [action, code] of [
      ["perhaps", "invalid_input"],
      ["retry", "recovery_unknown"],
    ] as const) {
      expect((await stepSaid(house, { id, action })).code).toBe(code);
      await waits();
    }
    // Its script ends with Silas, and that is none of its outcomes: a card says so, and offers to begin anew.
    await house.reopen();
    const ended = await connectionThat(house, ({ failure }) => failure !== null);
    const failure = failureOf(ended);
    expect(ended).toMatchObject({
      record: { connection_id: id, status: "failed", permissions_granted: [] },
      setup: null,
    });
    expect(failure?.message).toContain("Silas ended while it was being set up");
    expect(failure?.recovery_options.map(({ action }) => action)).toEqual(["retry", "skip"]);
    for (const action of ["done", "trouble"]) {
      expect((await stepSaid(house, { id, action })).code).toBe("step_not_shown");
    }
    // That card waits for as long as nobody answers, through another start, and takes nothing else.
    expect((await recovered(house, { id, action: "reconnect" })).code).toBe("recovery_unknown");
    house.moveMs(48 * 60 * MINUTE_MS);
    await house.reopen();
    expect(await connectionOf(house, id)).toMatchObject({ failure });
    expect(await recovered(house, { id, action: "skip" })).toMatchObject({ code: null });
    expect(await connectionOf(house, id)).toMatchObject({ failure: null });
    expect((await recovered(house, { id, action: "skip" })).code).toBe("recovery_unknown");
  });

  test("[CARD-17] [FLOW-17] trouble with a step is a failure whose way on asks anew, cancelling leaves nothing, and done connects", async () => {
    const house = await openHouse();
    house.service.allow();
    await installed(house, ANSWERED_SETUP);
    const id = await stepShown(house);
    const say = (action: string): Promise<Said> => stepSaid(house, { id, action });
    const shownAgain = async (): Promise<void> => {
      await approved(house, await waitingOf(house, "connection_setup"));
      await connectionThat(house, ({ setup }) => setup !== null);
    };
    expect(await say("trouble")).toMatchObject({ code: null });
    await connectionThat(house, (view) => failureOf(view)?.failure_type === "mfa_required");
    expect(await recovered(house, { id, action: "retry" })).toMatchObject({ code: null });
    expect((await recovered(house, { id, action: "retry" })).code).toBe("recovery_unknown");
    await shownAgain();
    expect(await say("cancel")).toMatchObject({ code: null });
    expect(await connectionOf(house, id)).toMatchObject({ record: { status: "proposed" }, setup: null, failure: null });
    const next = await stepShown(house);
    expect(await stepSaid(house, { id: next, action: "done" })).toMatchObject({ code: null });
    await connectionThat(house, ({ record }) => record.connection_id === next && record.status === "active");
    expect((await stepSaid(house, { id: next, action: "done" })).code).toBe("step_not_shown");
  });
});
