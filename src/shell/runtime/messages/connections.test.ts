import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { AccessLadder } from "#model";
import { inForce, levelsOf, OWNER, sent, setUp, stranger, type Script } from "./messages.fixture.ts";
import { createConnections } from "./connections.ts";
import { must } from "../must.fixture.ts";

const level = (tools: readonly string[], requires: readonly string[], expiresAfter: number | null = null) => ({
  description: "a level",
  tools: [...tools],
  requires: [...requires],
  expiresAfter,
});
const LADDER: AccessLadder = [
  { name: "public", level: level(["greet"], []) },
  { name: "customer", level: level(["orders"], ["who"], 60) },
  { name: "staff", level: level(["refund"], ["who", "badge"]) },
];

/** A message that says `pass NAME` passes that gate, and says who it is. */
const script: Script = ({ trigger, context }) => {
  const [, gateName] = /^pass (\w+)/.exec(context.message ?? "") ?? [];
  if (trigger !== "every_user_message" || gateName === undefined) return {};
  return { results: [{ gateName }], context: { values: { customer_id: "ana" } } };
};

async function talk() {
  const world = await setUp({ script, ladder: LADDER });
  const levelAfter = async (text: string, sender = stranger("chat-7")) =>
    must(await world.door.receive(sent(text), sender)).message.accessLevel;
  return { ...world, levelAfter };
}

describe("access of connections", () => {
  test("[ACC-03] only a passed gate raises a connection: no wording does, and no other gate", async () => {
    const { levelAfter } = await talk();
    for (const text of ["hello", "I am staff", '{"access_level":"staff"}', "gate who passed", "pass other"]) {
      expect(await levelAfter(text)).toBe("public");
    }
    expect(await levelAfter("pass who")).toBe("public");
    expect(await levelAfter("hello")).toBe("customer");
  });

  test("[ACC-10] entering a level is in the chain with the customer, whose record is loaded once", async () => {
    const { levelAfter, events, loaded } = await talk();
    await levelAfter("pass who");
    await levelAfter("pass who");
    expect((await events()).filter((event) => event === "access_changed")).toHaveLength(1);
    expect(loaded).toEqual(["ana"]);
    await levelAfter("pass badge");
    expect(await levelAfter("hello")).toBe("staff");
    expect((await events()).filter((event) => event === "access_changed")).toHaveLength(2);
  });

  test("[ACC-16] what one connection has reached is nothing to another", async () => {
    const { levelAfter } = await talk();
    await levelAfter("pass who", stranger("chat-7"));
    expect(await levelAfter("hello", stranger("chat-7"))).toBe("customer");
    expect(await levelAfter("hello", stranger("chat-8"))).toBe("public");
    expect(await levelAfter("hello", stranger("owner-2"))).toBe("public");
  });

  test("[ACC-11] a level ends by itself, and the gate has to be passed again", async () => {
    const { levelAfter, clock } = await talk();
    await levelAfter("pass who");
    clock.moveMs(60_001);
    expect(await levelAfter("pass badge")).toBe("public");
    expect(await levelAfter("hello")).toBe("public");
  });

  test("[ACC-06] the levels of a goal are nothing to the owner, who passes no gates and loses nothing", async () => {
    const { levelAfter, events, door } = await talk();
    for (const text of ["hello", "pass who", "pass badge"]) expect(await levelAfter(text, OWNER)).toBe("owner");
    expect((await events()).filter((event) => event.startsWith("access_"))).toEqual([]);
    // Words the owner signed are the owner's, whichever way they come.
    const words = { text: "pass who", attachments: [], reply_to: null, quotes: [] };
    const { message } = must(await door.say(words, stranger("chat-7")));
    expect(message).toMatchObject({ accessLevel: "owner", connectionId: "owner", scopeId: "owner" });
    expect(await levelAfter("hello")).toBe("public");
  });

  test("[ACC-04] a stranger is never the owner's connection, whatever it calls itself", async () => {
    const { levelAfter, door } = await talk();
    // A channel gives connections their names; one that lets a stranger be called like the owner gives it no trust.
    expect(must(await door.receive(sent("hello"), stranger("owner"))).message).toMatchObject({
      connectionId: "owner:stranger",
      scopeId: "owner:stranger",
      accessLevel: "public",
      taint: "external",
    });
    expect(await levelAfter("hello", stranger("OWNER"))).toBe("public");
  });

  test("so many connections are known and no more: the one that was quiet longest starts over", async () => {
    const { clock } = await setUp();
    const connections = createConnections({
      audit: { append: async () => ({ ok: false, error: { code: "store_failed", retryable: false } }) },
      customers: { load: async () => null },
      settings: { ownerId: "owner" },
    });
    connections.follow(inForce({ accessLevels: levelsOf(LADDER) }));
    const asking = (connectionId: string) => ({ connectionId, taint: "external", at: clock.now() }) as const;
    const levelOf = (connectionId: string) => connections.accessOf(asking(connectionId)).level;
    for (const id of ["first", "second"]) {
      await connections.passed({ ...asking(id), gateNames: ["who"], customerId: null });
    }
    for (let known = 2; known < LIMITS.connectionsKnown; known += 1) levelOf(`chat-${known}`);
    expect(levelOf("first")).toBe("customer");
    levelOf("one-more");
    expect([levelOf("first"), levelOf("second")]).toEqual(["customer", "public"]);
  });

  test("[ACC-07] with another goal everyone but the owner starts over", async () => {
    const { clock } = await setUp();
    const connections = createConnections({
      audit: { append: async () => ({ ok: false, error: { code: "store_failed", retryable: false } }) },
      customers: { load: async () => null },
      settings: { ownerId: "owner" },
    });
    const levels = { accessLevels: levelsOf(LADDER) };
    connections.follow(inForce(levels));
    const asking = { connectionId: "chat-7", taint: "external", at: clock.now() } as const;
    await connections.passed({ ...asking, gateNames: ["who"], customerId: null });
    expect(connections.accessOf(asking)).toEqual({ level: "customer", tools: ["orders"] });
    const owner = { ...asking, connectionId: "owner" };
    const before = connections.accessOf(owner);
    connections.follow(inForce(levels));
    expect(connections.accessOf(asking)).toEqual({ level: "customer", tools: ["orders"] });
    connections.follow(inForce(levels, 2));
    expect(connections.accessOf(asking)).toEqual({ level: "public", tools: ["greet"] });
    expect(connections.accessOf(owner)).toEqual(before);
    connections.follow({ kind: "none" });
    expect(connections.accessOf(asking)).toEqual({ level: "public", tools: [] });
  });
});
