import { expect, test } from "vitest";
import { err, ok, type Result } from "#base";
import { REQUEST_KINDS, type KeptRequest, type RequestKind, type StoreFault } from "#model";
import { createDecisions } from "./create.ts";
import { settleByKind } from "./settle-by-kind.ts";

const FULL: StoreFault = { code: "disk_full", retryable: true };

function decision(kind: RequestKind, by: "terminal" | "owner" = "terminal", state = "approved"): KeptRequest {
  const decidedBy = by === "owner" ? { kind: by, session_id: "s" } : { kind: by };
  return { requestId: `request-${kind}`, kind, state, decidedBy } as KeptRequest;
}

type World = {
  /** Decisions that the store holds as not carried out. */
  readonly open?: KeptRequest[];
  readonly memory?: () => Promise<Result<void, StoreFault>>;
  readonly skills?: () => Promise<void>;
};

function world({ open = [], memory, skills }: World = {}) {
  const done: string[] = [];
  const logged: string[] = [];
  const did = (what: string) => async () => void done.push(what);
  const decisions = createDecisions({
    messages: { decided: async ({ kind }) => ok(void done.push(`message ${kind}`)) },
    memory: { settle: memory ?? (async () => ok(void done.push("memory"))) },
    skills: { settle: skills ?? did("skills"), close: did("skills closed") },
    connections: {
      settle: did("connections"),
      start: did("connections started"),
      close: did("connections closed"),
    },
    store: { uncarried: async () => ok(open) },
    log: { error: (event, fields) => void logged.push(`${event} ${String((fields as { kind?: string }).kind)}`) },
  });
  return { decisions, done, logged, open };
}

test("every kind of request has a settler, and those whose effect is in the commit do nothing more", async () => {
  expect(Object.keys(settleByKind).toSorted()).toEqual(REQUEST_KINDS.toSorted());
  const { decisions, done } = world();
  await decisions.start();
  done.length = 0;
  for (const kind of REQUEST_KINDS) await decisions.settle(decision(kind));
  expect(done).toEqual([
    "message memory_promotion",
    "memory",
    "message gate_approval",
    "skills",
    "connections",
    "connections",
  ]);
});

test("a decline lets nothing begin, and blocks the message that a gate stopped", async () => {
  const { decisions, done } = world();
  await decisions.start();
  done.length = 0;
  for (const kind of REQUEST_KINDS) await decisions.settle(decision(kind, "terminal", "declined"));
  expect(done).toEqual(["message memory_promotion", "message gate_approval"]);
});

test("a setup begins only in a process that goes on: in a verb it stays open, and a start begins it", async () => {
  const asked = decision("connection_setup");
  const { decisions, done } = world({ open: [asked] });
  await decisions.settle(asked);
  expect(done).toEqual([]);
  await decisions.start();
  expect(done).toEqual(["connections started", "connections"]);
  await decisions.close();
  await decisions.settle(asked);
  expect(done.slice(2)).toEqual(["connections closed", "skills closed"]);
});

test("a settler that throws or fails loses nothing: the call answers, it is logged, and a start settles it again", async () => {
  const asked = decision("memory_promotion");
  const answers = [
    () => Promise.reject(new Error("cut")),
    async () => err(FULL),
    async () => ok(void settled.push("settled")),
  ];
  const settled: string[] = [];
  const { decisions, logged } = world({ open: [asked], memory: () => (answers.shift() ?? (async () => ok()))() });
  await decisions.settle(asked);
  await decisions.settle(asked);
  expect(logged).toEqual(Array(2).fill("decision_not_settled memory_promotion"));
  await decisions.start();
  expect(settled).toEqual(["settled"]);
});

test("a decision that a fault left open is tried again with the next one, and a close waits for it", async () => {
  const asked = decision("skill_install");
  const { decisions, done, open } = world();
  await decisions.start();
  open.push(asked);
  done.length = 0;
  await decisions.settle(decision("plan_approval"));
  await decisions.close();
  expect(done).toEqual(["skills", "connections closed", "skills closed"]);
});

test("the terminal and a start wait for a trial of scripts, a page does not", async () => {
  let end = (): void => {};
  const trial = new Promise<void>((resolve) => (end = resolve));
  const ended: string[] = [];
  const asked = decision("skill_install");
  const { decisions } = world({ open: [asked], skills: () => trial });
  await decisions.settle(decision("skill_install", "owner"));
  const atTerminal = decisions.settle(asked).then(() => ended.push("terminal"));
  const atStart = decisions.start().then(() => ended.push("start"));
  await decisions.settle(decision("skill_install", "owner"));
  expect(ended).toEqual([]);
  end();
  await Promise.all([atTerminal, atStart]);
  expect(ended).toHaveLength(2);
});

test("open decisions that cannot be read are logged, and the start goes on", async () => {
  const logged: string[] = [];
  const nothing = async () => {};
  const decisions = createDecisions({
    messages: { decided: async () => ok() },
    memory: { settle: async () => ok() },
    skills: { settle: nothing, close: nothing },
    connections: { settle: nothing, start: nothing, close: nothing },
    store: { uncarried: async () => err(FULL) },
    log: { error: (event) => void logged.push(event) },
  });
  await decisions.start();
  expect(logged).toEqual(["decisions_not_read"]);
});
