import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Settlement } from "#model";
import { ENROLLED, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { BY, messageNamed, openFile, openMemory, recorded, signedReception } from "./message-fixture.ts";

const settlement = (name: string, over: Partial<Settlement> = {}): Settlement => ({
  messageId: `message-${name}`,
  state: "accepted",
  text: `text of ${name}`,
  gate: null,
  at: at(1),
  actor: BY,
  ...over,
});

describe.each([
  ["in memory", openMemory],
  ["on disk", () => openFile()],
] as const)("the message store (%s)", (_name, open) => {
  test("a message is kept whole, with its entry in the chain, and found again", async () => {
    const { messages, audit } = await open();
    const rich = messageNamed("a", {
      scrubbed: [{ kind: "hidden", count: 2 }],
      sources: [{ item_id: "https://example.org", relation: "attachment", taint: "external" }],
      text: "two\nlines, 'quotes' and 😀",
    });
    expect(must(await messages.receive({ first: rich, replay: null, actor: BY }))).toEqual(rich);
    expect(must(await messages.find("message-a"))).toEqual(rich);
    expect(must(await messages.find("message-b"))).toBeNull();
    expect(await recorded(audit)).toEqual(["message_received a"]);
  });

  test("[MSG-05] the second of two messages with one nonce is kept as foreign, and the replay is in the chain", async () => {
    const { messages, audit } = await open();
    expect(must(await messages.receive(signedReception("a", "1")))).toMatchObject({ taint: "owner" });
    const replayed = must(await messages.receive(signedReception("b", "1")));
    expect(replayed).toMatchObject({ taint: "external", origin: "nonce_used" });
    expect(must(await messages.find("message-b"))).toEqual(replayed);
    expect(must(await messages.receive(signedReception("c", "2")))).toMatchObject({ taint: "owner" });
    expect(await recorded(audit)).toEqual([
      "message_received a",
      "message_received b",
      "message_replay_refused b",
      "message_received c",
    ]);
  });

  test("[MSG-07] a signature that did not hold is in the chain with the reason and the key it named", async () => {
    const { messages, audit } = await open();
    const { signed } = signedReception("a", "1").first;
    const first = messageNamed("a", { signed, taint: "external", origin: "key_revoked" });
    must(await messages.receive({ first, replay: null, actor: BY }));
    expect(await recorded(audit)).toEqual(["message_received a", "message_signature_refused a"]);
    const [entry] = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 1 }));
    expect(entry?.data).toMatchObject({ key_id: "a".repeat(32), reason: "key_revoked" });
  });

  test("what the gates decided is kept once, and a block is in the chain", async () => {
    const { messages, audit } = await open();
    for (const name of ["a", "b"]) {
      must(await messages.receive({ first: messageNamed(name), replay: null, actor: BY }));
    }
    expect(must(await messages.settle(settlement("a", { text: "rewritten" })))).toMatchObject({
      state: "accepted",
      text: "rewritten",
    });
    const gate = { name: "input_guard", reason: "not this", plan_hash: null };
    expect(must(await messages.settle(settlement("b", { state: "blocked", gate })))).toMatchObject({ gate });
    for (const name of ["a", "b"]) {
      expect(await messages.settle(settlement(name))).toMatchObject({ error: { code: "message_settled" } });
    }
    expect(await messages.settle(settlement("c"))).toMatchObject({ error: { code: "message_unknown" } });
    expect(must(await messages.find("message-a"))).toMatchObject({
      text: "rewritten",
      originalDigest: messageNamed("a").originalDigest,
    });
    expect(await recorded(audit)).toEqual(["message_received a", "message_received b", "message_blocked b"]);
  });

  test("what waits for a decision is decided once more, and then no more", async () => {
    const { messages } = await open();
    must(await messages.receive({ first: messageNamed("a"), replay: null, actor: BY }));
    const gate = { name: "ask", reason: "asks", plan_hash: messageNamed("a").originalDigest };
    must(await messages.settle(settlement("a", { state: "waiting", gate })));
    expect(must(await messages.waitingFor(gate.plan_hash))).toMatchObject({ state: "waiting", gate });
    expect(must(await messages.waitingFor(messageNamed("b").messageId))).toBeNull();
    expect(await messages.settle(settlement("a", { state: "waiting", gate }))).toMatchObject({ ok: false });
    must(await messages.settle(settlement("a", { gate })));
    expect(await messages.settle(settlement("a", { state: "blocked", gate }))).toMatchObject({ ok: false });
    expect(must(await messages.find("message-a"))).toMatchObject({ state: "accepted" });
    expect(must(await messages.waitingFor(gate.plan_hash))).toBeNull();
  });

  test("a list is of one scope only, newest first, and goes on where it ended", async () => {
    const { messages } = await open();
    for (const name of ["a", "b", "c", "d"]) {
      const scopeId = name === "b" ? "chat-7" : "owner";
      must(await messages.receive({ first: messageNamed(name, { scopeId }), replay: null, actor: BY }));
    }
    const names = async (scopeId: string, before: string | null = null, limit = 2) =>
      must(await messages.list({ scopeId, before, limit })).map(({ messageId }) => messageId.slice(-1));
    expect(await names("owner")).toEqual(["d", "c"]);
    expect(await names("owner", "message-c")).toEqual(["a"]);
    expect(await names("chat-7")).toEqual(["b"]);
    expect(await names("chat-8")).toEqual([]);
  });
});

describe("the message store on disk", () => {
  test("[TAINT-08] an approval that is kept raises exactly the message it is for, once, and only one", async () => {
    const { messages, approvals, keys, audit } = await openFile();
    must(await keys.add(KEY, ENROLLED));
    for (const name of ["a", "b"]) {
      const first = messageNamed(name, { taint: "external", origin: "unknown_sender" });
      must(await messages.receive({ first, replay: null, actor: BY }));
    }
    const endorsing = (name: string, tokenId: string) => ({
      messageId: `message-${name}`,
      tokenId,
      at: at(2),
      actor: BY,
    });
    // A token nobody has is no approval.
    expect((await messages.endorse(endorsing("a", "tok_plan"))).ok).toBe(false);
    must(await approvals.propose(requestFor("plan")));
    const token = tokenFor("plan");
    must(await approvals.spend(spendingFor(token, { lineage: "l1", request: requestFor("plan") })));
    const raised = must(await messages.endorse(endorsing("a", token.tokenId)));
    expect(raised).toMatchObject({ taint: "owner", origin: "unknown_sender", endorsed: { token_id: token.tokenId } });
    expect(must(await messages.find("message-a"))).toEqual(raised);
    expect(must(await messages.endorse(endorsing("a", token.tokenId)))).toEqual(raised);
    // The same approval does not raise another.
    expect((await messages.endorse(endorsing("b", token.tokenId))).ok).toBe(false);
    expect(must(await messages.find("message-b"))).toMatchObject({ taint: "external", endorsed: null });
    expect((await recorded(audit)).filter((line) => line.startsWith("message_endorsed"))).toEqual([
      "message_endorsed a",
    ]);
  });

  test("[MSG-08] [TURN-14] of twenty copies over four connections exactly one is the owner's, twenty times", async () => {
    const first = await openFile();
    const files = [first, ...(await Promise.all([1, 2, 3].map(() => openFile(first.dataDir))))];
    for (let trial = 0; trial < 20; trial += 1) {
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, copy) =>
          (files[copy % files.length] ?? first).messages.receive(
            signedReception(
              `${String(trial).padStart(2, "0")}-${String(copy).padStart(2, "0")}`,
              `${trial.toString(16).padStart(2, "0")}`,
            ),
          ),
        ),
      );
      const taints = kept.map((one) => must(one).taint);
      expect(taints.filter((taint) => taint === "owner")).toHaveLength(1);
      expect(taints.filter((taint) => taint === "external")).toHaveLength(19);
    }
  });

  test("[MSG-04] cut at any write, the message, its nonce and its entry are all there or none is, and it can come again", async () => {
    let cutAt = Number.POSITIVE_INFINITY;
    let seen = 0;
    const file = await openFile(undefined, () => {
      seen += 1;
      if (seen === cutAt) throw Object.assign(new Error("the disk failed"), { errcode: 10 });
    });
    must(await file.messages.receive(signedReception("warm", "f")));
    let cuts = 0;
    for (let write = 1; write < 100; write += 1) {
      const nonce = (write % 15).toString(16).repeat(2) + String(write).padStart(2, "0");
      const name = `cut-${String(write).padStart(3, "0")}`;
      const before = await recorded(file.audit);
      [seen, cutAt] = [0, write];
      const received = await file.messages.receive(signedReception(name, nonce));
      cutAt = Number.POSITIVE_INFINITY;
      if (received.ok) break;
      cuts += 1;
      expect(must(await file.messages.find(`message-${name}`))).toBeNull();
      expect(await recorded(file.audit)).toEqual(before);
      // The sender tries again with the very same message, and it is still the first.
      expect(must(await file.messages.receive(signedReception(name, nonce)))).toMatchObject({ taint: "owner" });
    }
    expect(cuts).toBeGreaterThanOrEqual(6);
  });

  test("no row of a message is changed or removed by a statement, and none can claim trust it has no reason for", async () => {
    const { messages, dataDir, close } = await openFile();
    must(await messages.receive({ first: messageNamed("a"), replay: null, actor: BY }));
    must(await messages.receive({ first: messageNamed("b"), replay: null, actor: BY }));
    must(await messages.settle(settlement("b")));
    close();
    const db = new DatabaseSync(join(dataDir, "silas.db"));
    try {
      for (const sql of [
        "UPDATE messages SET taint = 'owner', origin = 'signature'",
        "UPDATE messages SET scope_id = 'x', state = 'accepted'",
        "UPDATE messages SET text = 'other'",
        "UPDATE messages SET text = 'other' WHERE message_id = 'message-b'",
        "UPDATE messages SET state = 'blocked', gate = '{}' WHERE message_id = 'message-b'",
        "UPDATE messages SET state = 'blocked' WHERE message_id = 'message-a'",
        "DELETE FROM messages",
        "INSERT INTO message_endorsements VALUES ('message-a', 'tok_none', '2026')",
      ]) {
        expect(() => db.exec(`PRAGMA foreign_keys = ON; ${sql}`), sql).toThrow(/never|constraint/i);
      }
    } finally {
      db.close();
    }
  });
});
