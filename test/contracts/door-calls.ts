/** Every call of the doors that a program of the owner has, each with what it needs. */
import { sha256Hex } from "#base";
import type { OperationId } from "#model";
import type { DoorCall } from "#sim";
import { folderOf, TERMINAL, type Desk } from "./batch-fixture.ts";
import {
  fresh,
  plan,
  proposed,
  answerTo,
  approved,
  missed,
  granted,
  goalIn,
  SENDER,
  STRANGER,
  words,
  remembered,
  wanted,
  asked,
  offered,
  read,
} from "./door-fixture.ts";
import { must } from "./journal-fixture.ts";

type Prepare = DoorCall<Desk>["prepare"];
type Calls = Readonly<Record<string, Prepare>>;

/** Acts whose second half is an answer: when only that fails, the act was done and is refused a second time. */
export const DONE: Readonly<Record<string, string>> = {
  "goals: pause": "goal_paused",
  "goals: resume": "goal_not_paused",
  forget: "memory_unknown",
};

const APPROVALS: Calls = {
  proposeAgain: async (desk) => {
    const { requestId } = await missed(desk);
    return () => desk.app.approvals.proposeAgain(requestId, TERMINAL);
  },
  propose: async ({ app }) => {
    const text = plan();
    return () => app.approvals.propose(text, TERMINAL);
  },
  inbox: async (desk) => {
    await proposed(desk);
    return () => desk.app.approvals.inbox();
  },
  missed: async (desk) => {
    await missed(desk);
    return () => desk.app.approvals.missed();
  },
  all:
    async ({ app }) =>
    () =>
      app.approvals.all(),
  show: async (desk) => {
    const { requestId } = await proposed(desk);
    return () => desk.app.approvals.show(requestId);
  },
  summary: async (desk) => {
    await missed(desk);
    return () => desk.app.approvals.summary();
  },
  "decide: approve": async (desk) => {
    const answer = answerTo(await proposed(desk));
    return () => desk.app.approvals.decide(answer);
  },
  "decide: approve what lets nothing run": async (desk) => {
    const memoryId = await remembered(desk);
    const { request } = must(await desk.app.memory.promote(memoryId, TERMINAL));
    return () => desk.app.approvals.decide(answerTo(request));
  },
  "decide: decline": async (desk) => {
    const answer = answerTo(await proposed(desk), "declined");
    return () => desk.app.approvals.decide(answer);
  },
  receipt: async (desk) => {
    const { requestId } = await approved(desk);
    return () => desk.app.approvals.receipt(requestId);
  },
};

const KEYS: Calls = {
  vouch:
    async ({ app }) =>
    () =>
      app.keys.vouch(),
  prepare:
    async ({ app }) =>
    () =>
      app.keys.prepare(),
  list:
    async ({ app }) =>
    () =>
      app.keys.list(),
  enrol:
    async ({ app }) =>
    () =>
      app.keys.enrol("Second", TERMINAL),
  revoke: async ({ app }) => {
    const { keyId } = must(await app.keys.enrol("Third", TERMINAL));
    must(await app.keys.enrol("Fourth", TERMINAL));
    return () => app.keys.revoke({ keyId, actor: TERMINAL, lastKey: "refuse" });
  },
  signFile:
    async ({ app }) =>
    () =>
      app.keys.signFile(sha256Hex("file"), TERMINAL),
  verifyFile: async ({ app }) => {
    const { keyId, signature } = must(await app.keys.signFile(sha256Hex("file"), TERMINAL));
    return () => app.keys.verifyFile({ sha256: sha256Hex("file"), keyId, signature });
  },
  "the key of a device: offer": async (desk) => offered(desk),
  "the key of a device: current":
    async ({ app }) =>
    () =>
      app.deviceKeys.current("session"),
};

const MESSAGES: Calls = {
  receive:
    async ({ app }) =>
    () =>
      app.messages.receive({ ...words("Good morning"), signed: null }, SENDER),
  "receive from a stranger": async ({ app }) => {
    return () => app.messages.receive({ ...words("Good morning"), signed: null }, STRANGER);
  },
  say:
    async ({ app }) =>
    () =>
      app.messages.say(words("Good morning"), SENDER),
  list:
    async ({ app }) =>
    () =>
      app.messages.list({ scopeId: "owner", before: null, limit: 10 }),
  endorse: async ({ app }) => {
    const { message } = must(await app.messages.receive({ ...words("Hello"), signed: null }, STRANGER));
    const { messageId, scopeId } = message;
    must(await app.messages.talk.answered(messageId));
    return () => app.messages.endorse({ messageId, scopeId, actor: TERMINAL });
  },
};

const MEMORY: Calls = {
  remember:
    async ({ app }) =>
    () =>
      app.memory.remember({ from: "own", content: "Tea", memory_type: "fact", semantic_tags: [] }, TERMINAL),
  list:
    async ({ app }) =>
    () =>
      app.memory.list({ before: null, limit: 10 }),
  search:
    async ({ app }) =>
    () =>
      app.memory.search({ text: "tea", limit: 10, words: "all" }),
  show: async (desk) => {
    const memoryId = await remembered(desk);
    return () => desk.app.memory.show(memoryId);
  },
  change: async (desk) => {
    const memoryId = await remembered(desk);
    must(await desk.app.memory.promote(memoryId, TERMINAL));
    const content = fresh("The landlord is called Vega");
    return () => desk.app.memory.change(memoryId, { from: "own", content, actor: TERMINAL });
  },
  forget: async (desk) => {
    const memoryId = await remembered(desk);
    must(await desk.app.memory.promote(memoryId, TERMINAL));
    return () => desk.app.memory.forget(memoryId, TERMINAL);
  },
  promote: async (desk) => {
    const memoryId = await remembered(desk);
    return () => desk.app.memory.promote(memoryId, TERMINAL);
  },
  exportLines:
    async ({ app }) =>
    () =>
      read(app.memory.exportLines({ since: null, actor: TERMINAL })),
};

const SECRETS: Calls = {
  ask: async ({ app }) => {
    const one = wanted();
    return () => app.secrets.ask(one, TERMINAL);
  },
  pending:
    async ({ app }) =>
    () =>
      app.secrets.pending(),
  list:
    async ({ app }) =>
    () =>
      app.secrets.list(),
  store: async (desk) => {
    const refId = await asked(desk);
    return () => desk.app.secrets.store({ refId, secret: Buffer.from("hunter2"), actor: TERMINAL });
  },
  remove: async (desk) => {
    const refId = await asked(desk);
    return () => desk.app.secrets.remove(refId, TERMINAL);
  },
};

const JOURNAL: Calls = {
  submit: async ({ app }) => {
    const operationId = fresh("operation") as OperationId;
    return () => app.journal.submit({ operationId, command: { kind: "task.create", title: "Tea" } });
  },
  ask:
    async ({ app }) =>
    () =>
      app.journal.ask({ kind: "labels" }),
  "journal exportLines":
    async ({ app }) =>
    () =>
      read(app.journal.exportLines(TERMINAL)),
};

const WORK: Calls = {
  list: async (desk) => {
    await granted(desk);
    return () => desk.app.work.list({ status: "pending" });
  },
  show: async (desk) => {
    const runId = await granted(desk);
    return () => desk.app.work.show(runId);
  },
  cancel: async (desk) => {
    const runId = await granted(desk);
    return () => desk.app.work.cancel(runId, TERMINAL);
  },
  pause: async (desk) => {
    const runId = await granted(desk);
    return () => desk.app.work.pause(runId, TERMINAL);
  },
  "doubts: list":
    async ({ app }) =>
    () =>
      app.work.doubts.list(),
  "batches: tidy": async ({ app }) => {
    const folder = folderOf({ "a.pdf": fresh("a") });
    return () => app.work.batches.tidy(folder, TERMINAL);
  },
  "batches: next":
    async ({ app }) =>
    () =>
      app.work.batches.next(),
  "goals: show": async (desk) => {
    const id = await goalIn(desk);
    return () => desk.app.work.goals.show(id);
  },
  "timers: list":
    async ({ app }) =>
    () =>
      app.work.timers.list(),
  "goals: list":
    async ({ app }) =>
    () =>
      app.work.goals.list(),
  "goals: pause": async (desk) => {
    const id = await goalIn(desk);
    return () => desk.app.work.goals.pause(id, TERMINAL);
  },
  "goals: resume": async (desk) => {
    const id = await goalIn(desk);
    must(await desk.app.work.goals.pause(id, TERMINAL));
    return () => desk.app.work.goals.resume(id, TERMINAL);
  },
  "autonomy: show":
    async ({ app }) =>
    () =>
      app.work.autonomy.show(),
  "autonomy: check":
    async ({ app }) =>
    () =>
      app.work.autonomy.check(),
  "suggestions: list":
    async ({ app }) =>
    () =>
      app.work.suggestions.list(),
  "suggestions: missed":
    async ({ app }) =>
    () =>
      app.work.suggestions.missed(),
  "stops: current":
    async ({ app }) =>
    () =>
      app.work.stops.current(),
  "stream: look":
    async ({ app }) =>
    () =>
      app.work.stream.look(),
  "skills: list":
    async ({ app }) =>
    () =>
      app.skills.list(),
  "connections: list":
    async ({ app }) =>
    () =>
      app.connections.list(),
};

/** In a house of their own: what was stopped and waits would begin again. */
const STOPS: Calls = {
  current:
    async ({ app }) =>
    () =>
      app.work.stops.current(),
  startAgain: async ({ app }) => {
    must(await app.work.stops.stop(TERMINAL));
    return () => app.work.stops.startAgain(TERMINAL);
  },
  stop:
    async ({ app }) =>
    () =>
      app.work.stops.stop(TERMINAL),
};

export const DOORS: Readonly<Record<string, Calls>> = {
  approvals: APPROVALS,
  keys: KEYS,
  messages: MESSAGES,
  memory: MEMORY,
  secrets: SECRETS,
  journal: JOURNAL,
  work: WORK,
  stops: STOPS,
};
