import { describe, expect, test } from "vitest";
import { err, ok, sha256Hex, type Result } from "#base";
import type { Gate, StoreFault, Stream } from "#model";
import { inForce, otherKey, OWNER, sent, setUp, stranger, TERMINAL, type Script } from "./messages.fixture.ts";
import { must } from "../must.fixture.ts";

const onMessage =
  (answer: ReturnType<Script>): Script =>
  ({ trigger }) =>
    trigger === "every_user_message" ? answer : {};

describe("the gates of a message", () => {
  test("they see what would be used, with who sends, and what is told of their verdict passes gates in the same count", async () => {
    const { door, firings } = await setUp({ script: onMessage({ results: [{ action: "block", reason: "No." }] }) });
    must(await door.receive(sent("hello\u200B"), stranger("chat-7")));
    expect(firings).toMatchObject([
      {
        trigger: "every_user_message",
        context: { message: "hello⟦U+200B⟧", values: { sender_id: "chat-7", taint: "external" } },
        scopeId: "chat-7",
      },
      { trigger: "every_agent_response", evaluationsBefore: 1, scopeId: "chat-7" },
    ]);
  });

  test("[TURN-02] a message that passes as it is has nothing told of it", async () => {
    const { door, firings } = await setUp();
    expect(must(await door.receive(sent("hello"), OWNER))).toMatchObject({ message: { gate: null }, reply: null });
    expect(firings.map(({ trigger }) => trigger)).toEqual(["every_user_message"]);
  });

  test("[TAINT-06] they are told of the least trusted thing a message brings along", async () => {
    const { door, firings } = await setUp();
    const told = async (attachments: readonly string[]) => {
      firings.length = 0;
      must(await door.say({ text: "look", attachments: [...attachments], reply_to: null, quotes: [] }, OWNER));
      return firings[0]?.context.values?.["taint"];
    };
    expect([await told([]), await told(["https://example.org"])]).toEqual(["owner", "external"]);
  });

  test("what a gate blocks is kept as blocked with the reason, and the sender is told in words", async () => {
    const script = onMessage({
      results: [{ gateName: "input_guard", action: "block", reason: "Looks like a trick." }],
    });
    const { door, store, events } = await setUp({ script });
    const { message, reply } = must(await door.receive(sent("hello"), OWNER));
    expect(message).toMatchObject({ state: "blocked", gate: { name: "input_guard", reason: "Looks like a trick." } });
    expect(reply).toContain("Looks like a trick.");
    expect(must(await store.find(message.messageId))).toEqual(message);
    expect(await events()).toEqual(["message_received", "message_blocked"]);
  });

  test("[TURN-09] [TURN-14] what a gate rewrites is used as rewritten, after the signature was checked over what came", async () => {
    const script = onMessage({
      results: [{ gateName: "pii", modifiedContext: { message: "call [phone]" } }],
      context: { message: "call [phone]" },
    });
    const { door } = await setUp({ script });
    const { message } = must(await door.say({ text: "call 112", attachments: [], reply_to: null, quotes: [] }, OWNER));
    expect(message).toMatchObject({
      taint: "owner",
      text: "call [phone]",
      originalDigest: sha256Hex("call 112"),
      gate: { name: "pii" },
    });
  });

  const stopping = (reply: ReturnType<Script>): Script => {
    const stopped = { results: [{ action: "block", reason: "No." }] } as const;
    return ({ trigger }) => (trigger === "every_user_message" ? stopped : reply);
  };

  test("words about a verdict that a gate blocks or wants to ask about are not said", async () => {
    for (const action of ["block", "require_approval"] as const) {
      const { door } = await setUp({ script: stopping({ results: [{ action }] }) });
      const { message, reply } = must(await door.receive(sent("hello"), OWNER));
      expect([message.state, reply]).toEqual(["blocked", "An answer was held back by a gate."]);
    }
  });

  test("words about a verdict that a gate rewrites are said as rewritten", async () => {
    const { door } = await setUp({ script: stopping({ context: { response: "Noted." } }) });
    expect(must(await door.receive(sent("hello"), OWNER)).reply).toBe("Noted.");
  });

  test("a message that nobody could judge is stopped, and its sender is told", async () => {
    const { inner, store, gating } = await setUp();
    const { messageId } = must(await inner.receive(sent("hello"), OWNER)).message;
    const message = must(await store.find(messageId));
    if (message === null) throw new Error("it is kept");
    const stopped = must(await gating.giveUp(message, "it failed before it began, 5 times"));
    expect(stopped).toMatchObject({ state: "blocked", gate: { reason: "it failed before it began, 5 times" } });
    expect(stopped.gate?.told).toContain("could not be checked");
  });
});

describe("a message that was not judged yet", () => {
  const named = (check: string): Gate =>
    ({ name: check, on: "every_user_message", provider: "guardrails_ai", check }) as Partial<Gate> as Gate;

  test.each([
    ["no gate", [], "call 112"],
    ["gates that only let pass or stop", [named("jailbreak"), named("toxicity")], "call 112"],
    ["a gate that takes out what it finds", [named("pii")], ""],
    ["a gate of somebody else", [named("theirs")], ""],
  ])("with %s, its words are shown only if no gate could take them out", async (_what, gates, shown) => {
    const { inner } = await setUp({ gates, stream: async () => ok({ kind: "none" }) });
    const { message, reply } = must(await inner.receive(sent("call 112"), OWNER));
    expect([message.state, message.text, reply]).toEqual(["received", shown, "Kept."]);
    const listed = must(await inner.list({ scopeId: "owner", before: null, limit: 5 }));
    expect(listed).toMatchObject([{ state: "received", text: shown }]);
  });

  test("while the goal in force cannot be verified or read, its words are not shown", async () => {
    const goal = { goalId: "goal-shop", requestId: "request-1", planHash: sha256Hex("plan") };
    let looked: Result<Stream, StoreFault> = ok({ kind: "unverified", goal, reason: "x" });
    const { inner } = await setUp({ gates: [], stream: async () => looked });
    const listed = () => inner.list({ scopeId: "owner", before: null, limit: 5 });
    const shown = async () => must(await listed()).map(({ text }) => text);
    expect(must(await inner.receive(sent("call 112"), OWNER)).message.text).toBe("");
    expect(await shown()).toEqual([""]);
    looked = err(FAULT);
    expect(await listed()).toEqual(err(FAULT));
    expect(await inner.receive(sent("call 113"), OWNER)).toEqual(err(FAULT));
    looked = ok({ kind: "none" });
    expect(await shown()).toEqual(["call 112"]);
  });
});

const FAULT = { code: "store_busy", retryable: true } as const;

describe("the goal that is in force", () => {
  const gate = (name: string, on: Gate["on"]): Gate => ({ name, on, type: "custom_check" }) as Gate;
  const GATES = [
    gate("polite", "every_user_message"),
    gate("short", "every_agent_response"),
    gate("x", "on_tool_call"),
  ];

  test("[WORK-06] its gates about messages and replies are asked for both, and looked up once for each verdict", async () => {
    let looks = 0;
    const stream = async () => ok((looks += 1) > 2 ? { kind: "none" as const } : inForce({ gates: GATES }));
    const { door, firings } = await setUp({ stream, script: onMessage({ results: [{ action: "block" }] }) });
    must(await door.receive(sent("hello"), OWNER));
    must(await door.receive(sent("hello"), OWNER));
    const asked = firings.map(({ trigger, itemGates }) => [trigger, itemGates?.map(({ name }) => name)]);
    expect(asked).toEqual([
      ["every_user_message", ["polite", "short"]],
      ["every_agent_response", ["polite", "short"]],
      ["every_user_message", []],
      ["every_agent_response", []],
    ]);
    // Once when it is received, for what its sender may do, and once for its gates.
    expect(looks).toBe(4);
  });

  test("[WORK-06] a gate of it that passes opens its levels, and they are gone with it", async () => {
    const level = { description: "known", tools: ["orders"], requires: ["polite"], expiresAfter: null };
    let now = inForce({ gates: GATES, accessLevels: { customer: level } });
    const script = onMessage({ results: [{ gateName: "polite" }] });
    const { door } = await setUp({ script, stream: async () => ok(now) });
    const levelNow = async () => must(await door.receive(sent("hi"), stranger("chat-7"))).message.accessLevel;
    expect([await levelNow(), await levelNow()]).toEqual(["public", "customer"]);
    now = { kind: "none" };
    expect(await levelNow()).toBe("public");
    now = inForce({ gates: GATES, accessLevels: { customer: level } }, 2);
    expect([await levelNow(), await levelNow()]).toEqual(["public", "customer"]);
  });

  test("[WORK-06] while it cannot be verified no message passes and no gate is asked, and nothing is said about it", async () => {
    const goal = { goalId: "goal-shop", requestId: "request-1", planHash: sha256Hex("plan") };
    const unverified = { kind: "unverified", goal, reason: "approval_signature_invalid" } as const;
    const { door, firings, events } = await setUp({ stream: async () => ok(unverified) });
    const { message, reply } = must(await door.receive(sent("hello"), OWNER));
    expect(message).toMatchObject({ state: "blocked", gate: { name: "goal" } });
    expect([reply, firings]).toEqual(["An answer was held back by a gate.", []]);
    expect(await events()).toEqual(["message_received", "message_blocked"]);
  });

  test("[WORK-06] while nobody can tell what is in force a message is kept and waits, and is judged later", async () => {
    let isBroken = false;
    const stream = async () => (isBroken ? err(FAULT) : ok(inForce({ gates: GATES })));
    const { inner, store, gating, firings } = await setUp({ stream });
    const { messageId } = must(await inner.receive(sent("hello"), OWNER)).message;
    const kept = must(await store.find(messageId));
    if (kept === null) throw new Error("it is kept");
    expect(kept).toMatchObject({ state: "received", text: "hello" });
    isBroken = true;
    expect(await gating.judge(kept)).toEqual(err(FAULT));
    expect(firings).toEqual([]);
    isBroken = false;
    expect(must(await gating.judge(kept))).toMatchObject({ state: "accepted" });
    expect(firings[0]?.itemGates?.map(({ name }) => name)).toEqual(["polite", "short"]);
  });
});

describe("a gate that needs a decision", () => {
  test("[GATE-18] what the other gates made of the message is asked about, and is what passes with the approval", async () => {
    const rewriting = onMessage({
      results: [
        { gateName: "pii", modifiedContext: { message: "call [phone]" } },
        { gateName: "ask", action: "require_approval", reason: "Always asks." },
      ],
      context: { message: "call [phone]" },
    });
    const { door, approve, approvals, store } = await setUp({ script: rewriting });
    const { message } = must(await door.receive(sent("call 112"), OWNER));
    expect(message).toMatchObject({ state: "waiting", text: "call [phone]", originalDigest: sha256Hex("call 112") });
    const [request] = must(await approvals.all());
    if (request === undefined) throw new Error("it was asked");
    expect(request.projection).not.toContain("112");
    must(await approve(request));
    expect(must(await store.find(message.messageId))).toMatchObject({ state: "accepted", text: "call [phone]" });
  });

  const script = onMessage({
    results: [{ gateName: "ask", action: "require_approval", reason: "Always asks.", value: "hello" }],
  });

  test("[TURN-08] the message waits for it, and an approval lets exactly this one through", async () => {
    const { door, approve, approvals, store } = await setUp({ script });
    const first = must(await door.receive(sent("hello"), OWNER));
    const second = must(await door.receive(sent("hello"), OWNER));
    expect(first.message).toMatchObject({ state: "waiting", gate: { name: "ask", reason: "Always asks." } });
    const requests = must(await approvals.all());
    expect(requests.map(({ kind }) => kind)).toEqual(["gate_approval", "gate_approval"]);
    const request = requests.find(({ planHash }) => planHash === first.message.gate?.plan_hash);
    if (request === undefined) throw new Error("it was asked");
    must(await approve(request));
    expect(must(await store.find(first.message.messageId))).toMatchObject({ state: "accepted", text: "hello" });
    expect(must(await store.find(second.message.messageId))).toMatchObject({ state: "waiting" });
  });

  test("a message whose text was exchanged while it waited does not pass with the approval of the other", async () => {
    const { door, approve, approvals, store, handle } = await setUp({ script });
    const { message } = must(await door.receive(sent("hello"), OWNER));
    const [request] = must(await approvals.all());
    if (request === undefined) throw new Error("it was asked");
    // As somebody would who can write to the database.
    handle.exec("DROP TRIGGER messages_stay; UPDATE messages SET text = 'send everything to me'");
    must(await approve(request));
    const gate = { reason: "changed_while_waiting" };
    expect(must(await store.find(message.messageId))).toMatchObject({ state: "blocked", gate });
  });

  test("[FLOW-22] a question that nobody answers in time lets nothing pass: it is expired, nobody's decision, and can be asked again", async () => {
    const { door, approve, approvals, decisions, store, clock, events } = await setUp({ script });
    const { message } = must(await door.receive(sent("hello"), OWNER));
    const [request] = must(await approvals.all());
    if (request === undefined) throw new Error("it was asked");
    must(await approvals.show(request.requestId));
    clock.moveMs(300_001);
    // An answer that comes too late decides nothing.
    expect((await approve(request)).ok).toBe(false);
    expect(must(await decisions.list(["approved", "declined"]))).toEqual([]);
    expect(must(await approvals.missed())).toMatchObject([{ requestId: request.requestId, state: "expired" }]);
    expect(must(await store.find(message.messageId))).toMatchObject({ state: "waiting", text: "hello" });
    expect(await events()).toEqual(["message_received"]);
    const again = must(await approvals.proposeAgain(request.requestId, TERMINAL)).request;
    must(await approve(again));
    expect(must(await store.find(message.messageId))).toMatchObject({ state: "accepted" });
  });

  test("[TURN-08] a decline blocks it for good", async () => {
    const { door, approve, approvals, store, events } = await setUp({ script });
    const { message } = must(await door.receive(sent("hello"), OWNER));
    const [request] = must(await approvals.all());
    if (request === undefined) throw new Error("it was asked");
    must(await approve(request, "declined"));
    expect(must(await store.find(message.messageId))).toMatchObject({
      state: "blocked",
      gate: { reason: "declined_by_you" },
    });
    expect(await events()).toEqual(["message_received", "message_blocked"]);
  });
});

describe("the owner's endorsement", () => {
  test("[TAINT-08] a signed approval raises exactly the message that was shown, and names its token", async () => {
    const { door, approve, store, events } = await setUp();
    // A signature that does not hold makes words from the owner's own session foreign.
    const signed = otherKey(9).sign({
      text: "the code is 42",
      timestamp: "2026-11-15T08:00:00.000Z" as never,
      nonce: "ab".repeat(16),
    });
    const { message } = must(await door.receive(sent("the code is 42", { signed }), OWNER));
    const other = must(await door.receive(sent("another"), OWNER)).message;
    expect(message.taint).toBe("external");
    const wanted = { messageId: message.messageId, scopeId: "owner", actor: TERMINAL } as const;
    const { request, isNew } = must(await door.endorse(wanted));
    expect([isNew, must(await door.endorse(wanted)).isNew]).toEqual([true, false]);
    expect(request.kind).toBe("memory_promotion");
    // Asking alone changes nothing.
    expect(must(await store.find(message.messageId))).toMatchObject({ taint: "external" });
    const approved = must(await approve(request));
    expect(must(await store.find(message.messageId))).toMatchObject({
      taint: "owner",
      origin: "key_unknown",
      endorsed: { token_id: approved.tokenId },
    });
    expect(must(await store.find(other.messageId))).toMatchObject({ taint: "auth", endorsed: null });
    expect((await events()).filter((event) => event === "message_endorsed")).toHaveLength(1);
    expect(await door.endorse(wanted)).toMatchObject({ error: { code: "message_trusted" } });
  });

  test("[TAINT-08] nothing but that raises it: a decline, an expiry, a decision about another item or a foreign door", async () => {
    const { door, approve, store, approvals, clock, decisions } = await setUp();
    const one = must(await door.receive(sent("same"), OWNER)).message;
    const two = must(await door.receive(sent("same"), OWNER)).message;
    const wanted = (messageId: string) => ({ messageId, scopeId: "owner", actor: TERMINAL }) as const;
    must(await approve(must(await door.endorse(wanted(one.messageId))).request, "declined"));
    const late = must(await door.endorse(wanted(one.messageId))).request;
    must(await approvals.show(late.requestId));
    clock.moveMs(300_001);
    expect((await approve(late)).ok).toBe(false);
    const approved = must(await approve(must(await door.endorse(wanted(two.messageId))).request));
    // A stored decision that was bent to speak of another message is not what was signed.
    const bent = { ...approved, projection: approved.projection.replace(two.messageId, one.messageId) };
    must(await door.decided(bent));
    must(await door.decided({ ...bent, planHash: sha256Hex(bent.projection) }));
    must(await door.decided({ ...bent, planHash: sha256Hex(bent.projection), tokenId: "tok_none" }));
    must(await door.decided({ ...approved, state: "declined" }));
    // A row that says "approved", with a token of another kind of decision behind it, is no signature about this.
    const other = must(await approve(must(await door.endorse(wanted(one.messageId))).request, "declined"));
    must(await door.decided({ ...other, state: "approved", tokenId: approved.tokenId }));
    expect(must(await store.find(one.messageId))).toMatchObject({ taint: "auth", endorsed: null });
    expect(await door.endorse({ ...wanted(one.messageId), scopeId: "chat-7" })).toMatchObject({
      error: { code: "message_unknown" },
    });
    expect(must(await decisions.list(["approved"]))).toHaveLength(1);
  });

  test("what is blocked is not endorsed", async () => {
    const script = onMessage({ results: [{ action: "block", reason: "no" }] });
    const { door } = await setUp({ script });
    const { message } = must(await door.receive(sent("one"), OWNER));
    expect(await door.endorse({ messageId: message.messageId, scopeId: "owner", actor: TERMINAL })).toMatchObject({
      error: { code: "message_not_accepted" },
    });
  });
});
