import { expect, test } from "vitest";
import type { Gate, GateContext } from "#model";
import { inWorld } from "./disk-run.ts";
import { approvePlan, openConversation, say, type Conversation } from "./conversation.fixture.ts";
import { settleAll } from "./work-world.ts";

type Answer = { readonly action: string; readonly reason: string; readonly modified_context?: object };
const PASS: Answer = { action: "continue", reason: "" };

/** Gates of the configuration, one for each moment; what they answer is up to a test. */
const watcher = (name: string, on: Gate["on"], afterStep: number | null = null): Gate => ({
  name,
  on,
  afterStep,
  provider: "custom",
  type: "custom_check",
  check: "watch",
  config: {},
  extract: null,
  autoApprove: null,
  requireApproval: null,
  block: null,
  allowedValues: null,
  approvalValues: null,
  onBlock: "report",
  checkCommand: null,
  checkExpect: null,
  promoteToPolicy: false,
});
const WATCHERS = [
  watcher("heard", "every_user_message"),
  watcher("said", "every_agent_response"),
  watcher("called", "on_tool_call"),
  watcher("after 0", "after_step", 0),
  watcher("after 1", "after_step", 1),
  watcher("after 2", "after_step", 2),
];

const plan = (gates: string): string => `---
id: task-page
type: task
title: Make a page
budget: { max_attempts: 1 }
${gates}steps:
  - { name: write, run: make page extra }
  - { name: close, run: make end }
verify:
  - { name: page is there, run: look, expect: { exit_code: 0 } }
---

Make the page.
`;

type Watched = {
  readonly silas: Conversation;
  /** Gates that were asked and programs that were run, in the order in which it happened. */
  readonly order: string[];
};
type Watching = {
  readonly answer?: (gate: Gate, context: GateContext) => Answer;
  readonly exit?: (line: string) => number;
  /** Looks at Silas while a gate is asked. */
  readonly during?: (gate: Gate, silas: Conversation) => string;
};

/** Silas with a gate at every moment, through its real doors. */
function watch(watching: Watching, look: (watched: Watched) => Promise<void>): Promise<void> {
  return inWorld(7, async (world) => {
    const order: string[] = [];
    const { answer = () => PASS, exit = () => 0, during = () => "" } = watching;
    const silas: Conversation = await openConversation(world, {
      system: WATCHERS,
      callables: {
        watch: (gate, context) => {
          order.push(`${gate.name}${during(gate, silas)}`);
          return answer(gate, context);
        },
      },
      script: ({ argv }) => {
        order.push(`ran ${argv.join(" ")}`);
        return exit(argv.join(" "));
      },
    });
    try {
      await look({ silas, order });
    } finally {
      await silas.close();
    }
  });
}

const stateOf = ({ database }: Conversation): string =>
  String(database.prepare("SELECT state FROM messages ORDER BY message_id DESC LIMIT 1").get()?.["state"]);

test("[GATE-07] gates of a message are asked before anything is made of it, those of a reply before it leaves, and no others", () =>
  watch({ during: (_gate, silas) => ` while ${stateOf(silas)}` }, async ({ silas, order }) => {
    const said = say(silas, "hello").then((answer) => {
      order.push("answered");
      return answer;
    });
    expect(await said).toMatchObject({ state: "accepted" });
    expect(order).toEqual(["heard while received", "said while accepted", "answered"]);
  }));

test("[GATE-07] gates of a tool call are asked before each tool runs, those after a step after the step they name, and no others", () =>
  watch({}, async ({ silas, order }) => {
    await approvePlan(silas, plan(""));
    // Neither asking for an approval nor giving it is a message or a call.
    expect(order).toEqual([]);
    expect(await settleAll(silas)).toMatchObject([{ status: "done" }]);
    expect(order).toEqual([
      "called",
      "ran make page extra",
      "after 0",
      "called",
      "ran make end",
      "after 1",
      "ran look",
    ]);
  }));

test("[GATE-07] a step that failed is not after itself, and the steps behind it have no moment", () =>
  watch({ exit: (line) => (line === "make page extra" ? 1 : 0) }, async ({ silas, order }) => {
    await approvePlan(silas, plan(""));
    await settleAll(silas);
    expect(order).toEqual(["called", "ran make page extra"]);
  }));

const rewriting =
  (name: string, modified: object): NonNullable<Watching["answer"]> =>
  (gate) =>
    gate.name === name ? { ...PASS, modified_context: modified } : PASS;

test("[GATE-18] the rewritten message is what is kept, read and trusted afterwards", () =>
  watch({ answer: rewriting("heard", { message: "call [phone]" }) }, async ({ silas }) => {
    expect(await say(silas, "call 112")).toMatchObject({ state: "accepted", text: "call [phone]" });
    const listed = await silas.messages.list({ scopeId: "owner", before: null, limit: 5 });
    const [message] = listed.ok ? listed.value : [];
    expect(message?.text).toBe("call [phone]");
    const wanted = { messageId: message?.messageId ?? "", scopeId: "owner", actor: { kind: "terminal" } } as const;
    const asked = await silas.messages.endorse(wanted);
    expect(asked.ok && asked.value.request.projection).toContain("call [phone]");
    const kept = silas.database.prepare("SELECT group_concat(text) AS texts FROM messages").get();
    expect(String(kept?.["texts"])).not.toContain("112");
  }));

test("[GATE-18] the rewritten reply is what is sent", () =>
  watch({ answer: rewriting("said", { response: "Noted." }) }, async ({ silas }) => {
    expect(await say(silas, "hello")).toMatchObject({ reply: "Noted." });
  }));

const NARROWING = `gates:
  - name: only these
    on: on_tool_call
    extract: argv
    allowed_values: [make, page, end]
    config: { normalise: { keep_allowed: true } }
`;

test("[GATE-18] narrowed arguments are what the tool gets", () =>
  watch({}, async ({ silas, order }) => {
    await approvePlan(silas, plan(NARROWING));
    expect(await settleAll(silas)).toMatchObject([{ status: "done" }]);
    expect(order.filter((line) => line.startsWith("ran"))).toEqual(["ran make page", "ran make end", "ran look"]);
  }));

test.each([
  ["more words", ["make", "page", "extra", "--force"]],
  ["other words", ["rm", "page", "extra"]],
])("[GATE-18] a rewrite to %s does not run: the run waits for the owner, and no tool was given either", (_what, argv) =>
  watch({ answer: rewriting("called", { tool_args: { argv } }) }, async ({ silas, order }) => {
    await approvePlan(silas, plan(""));
    await silas.work.start();
    await expect
      .poll(async () => {
        const inbox = await silas.trust.approvals.inbox();
        return inbox.ok && inbox.value.map(({ kind }) => kind);
      })
      .toEqual(["step_approval"]);
    expect(order).toEqual(["called"]);
  }),
);

test("[GATE-18] what a gate makes of the output of a step is what is kept of it", () =>
  watch({ answer: rewriting("after 0", { response: "taken out" }) }, async ({ silas }) => {
    await approvePlan(silas, plan(""));
    const [run] = await settleAll(silas);
    const shown = await silas.work.show(run?.runId ?? "");
    const first = shown.ok ? shown.value.ledger[0] : undefined;
    expect(first?.returnValue).toBe("taken out");
  }));
