import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instantFromMs, msOfInstant, type Instant } from "#base";
import { FRONT_MATTER, type AccessLadder, type AccessState, type Gate, type GateResult, type WorkItem } from "#model";
import {
  allowedAccess,
  expireAccess,
  hasOwnerAccess,
  ladderOf,
  NEW_ACCESS,
  openingGates,
  passGate,
  withCustomer,
} from "./access.ts";

const NOW = "2026-11-15T08:00:00.000Z" as Instant;
function later(seconds: number): Instant {
  const instant = instantFromMs(msOfInstant(NOW) + seconds * 1000);
  if (!instant.ok) throw new Error("a moment of this test is real");
  return instant.value;
}

const level = (over: Partial<WorkItem["accessLevels"][string]> = {}): WorkItem["accessLevels"][string] => ({
  description: "a level",
  tools: [],
  requires: [],
  expiresAfter: null,
  ...over,
});

const LEVELS: WorkItem["accessLevels"] = {
  public: level({ tools: ["greet"] }),
  customer: level({ tools: ["greet", "orders"], requires: ["who"], expiresAfter: 60 }),
  staff: level({ tools: ["greet", "orders", "refund"], requires: ["who", "badge"] }),
};
const LADDER = ladderOf(LEVELS);

const climb = (gates: readonly string[], ladder: AccessLadder = LADDER, at = NOW): AccessState =>
  gates.reduce<AccessState>((state, gateName) => passGate(state, { gateName, ladder, at }).state, NEW_ACCESS);

describe("what a connection may do", () => {
  test("[ACC-01] a level has a description, tools, the gates it asks for and seconds until it ends", () => {
    const { children } = FRONT_MATTER.children.access_levels.entry;
    expect(Object.keys(children)).toEqual(["description", "tools", "requires", "expires_after"]);
    expect([children.expires_after.fallback, children.description.presence]).toEqual([null, "required"]);
  });

  test("[ACC-02] a new connection is public, with no gate passed, no customer and no time of a grant", () => {
    expect(NEW_ACCESS).toEqual({ level: "public", verified: [], customer: null, grantedAt: null });
    expect(allowedAccess(NEW_ACCESS, { ladder: LADDER, at: NOW }).access).toEqual({
      level: "public",
      tools: ["greet"],
    });
    expect(allowedAccess(NEW_ACCESS, { ladder: [], at: NOW }).access).toEqual({ level: "public", tools: [] });
  });

  test("[ACC-04] the connection of the owner is above every level, whatever it is called", () => {
    expect(hasOwnerAccess({ connectionId: "me", ownerId: "me", taint: "external" })).toBe(true);
    expect(hasOwnerAccess({ connectionId: "owner", ownerId: "me", taint: "auth" })).toBe(false);
    // A goal cannot declare a level that is taken for the owner's.
    expect(ladderOf({ ...LEVELS, owner: level({ tools: ["all"], requires: ["who"] }) })).toEqual(LADDER);
  });

  test("[ACC-05] words the owner signed have the same access, those of others on another connection have not", () => {
    const on = { connectionId: "chat-7", ownerId: "owner" } as const;
    expect(hasOwnerAccess({ ...on, taint: "owner" })).toBe(true);
    expect(hasOwnerAccess({ ...on, taint: "auth" })).toBe(false);
    expect(hasOwnerAccess({ ...on, taint: "external" })).toBe(false);
  });

  test("[ACC-08] a level is entered only with all of its gates, never with a part of them", () => {
    expect(climb([]).level).toBe("public");
    expect(climb(["badge"])).toMatchObject({ level: "public", verified: ["badge"], grantedAt: null });
    expect(climb(["who"])).toMatchObject({ level: "customer", grantedAt: NOW });
    expect(climb(["badge", "who"]).level).toBe("staff");
    expect(climb(["other", "who", "who", "badge"])).toMatchObject({
      level: "staff",
      verified: ["other", "who", "badge"],
    });
    const names = fc.array(fc.constantFrom("who", "badge", "other", "x"), { maxLength: 6 });
    fc.assert(
      fc.property(names, (gates) => {
        const { level: reached, verified } = climb(gates);
        expect(new Set(verified)).toEqual(new Set(gates));
        const fits = LADDER.filter(
          ({ level: { requires } }) => requires.length > 0 && requires.every((gate) => verified.includes(gate)),
        );
        expect(reached).toBe(fits.at(-1)?.name ?? "public");
      }),
    );
  });

  test("[ACC-08] rank is the order of declaration; levels without gates or with numbers for names are never entered", () => {
    const turned = ladderOf({ staff: LEVELS["staff"] ?? level(), customer: LEVELS["customer"] ?? level() });
    expect(climb(["who", "badge"], turned).level).toBe("customer");
    expect(climb(["who"], ladderOf({ open: level({ tools: ["all"] }) })).level).toBe("public");
    expect(climb(["who"], ladderOf({ "7": level({ requires: ["who"] }) })).level).toBe("public");
  });

  test("[ACC-09] no gate ever takes a connection down", () => {
    const rank = (state: AccessState): number => LADDER.findIndex(({ name }) => name === state.level);
    fc.assert(
      fc.property(fc.array(fc.constantFrom("who", "badge", "other"), { maxLength: 8 }), (gates) => {
        let state = NEW_ACCESS;
        for (const gateName of gates) {
          const after = passGate(state, { gateName, ladder: LADDER, at: NOW }).state;
          expect(rank(after)).toBeGreaterThanOrEqual(rank(state));
          state = after;
        }
      }),
    );
  });

  test("[ACC-10] entering a level says when, from where and to where, once", () => {
    const first = passGate(NEW_ACCESS, { gateName: "who", ladder: LADDER, at: later(5) });
    expect(first).toMatchObject({ state: { grantedAt: later(5) }, entered: { from: "public", to: "customer" } });
    expect(passGate(first.state, { gateName: "who", ladder: LADDER, at: later(9) })).toEqual({
      state: first.state,
      entered: null,
    });
  });

  test("[ACC-11] past its time the level, its gates and its customer are gone in the same call", () => {
    const held = withCustomer(climb(["who"]), { name: "Ana" });
    expect(allowedAccess(held, { ladder: LADDER, at: later(60) }).access.level).toBe("customer");
    expect(allowedAccess(held, { ladder: LADDER, at: later(60.001) })).toEqual({
      state: NEW_ACCESS,
      access: { level: "public", tools: ["greet"] },
    });
    // An unrelated gate after that begins from nothing: what was passed before does not count.
    expect(passGate(held, { gateName: "badge", ladder: LADDER, at: later(61) }).state).toMatchObject({
      level: "public",
      verified: ["badge"],
    });
  });

  test("[ACC-12] a level without an end never expires", () => {
    const held = climb(["who", "badge"]);
    expect(expireAccess(held, { ladder: LADDER, at: later(10 * 365 * 86_400) })).toBe(held);
  });

  test("a clock set back, a level that is gone and a grant without a time give nothing", () => {
    const held = climb(["who", "badge"]);
    expect(expireAccess(held, { ladder: LADDER, at: later(-1) })).toEqual(NEW_ACCESS);
    expect(expireAccess(held, { ladder: [], at: NOW })).toEqual(NEW_ACCESS);
    expect(expireAccess({ ...held, grantedAt: null }, { ladder: LADDER, at: NOW })).toEqual(NEW_ACCESS);
  });

  test("[ACC-13] there is no customer before the connection has shown who it is", () => {
    expect(withCustomer(NEW_ACCESS, { name: "Ana" }).customer).toBeNull();
    expect(withCustomer(climb(["badge"]), { name: "Ana" }).customer).toBeNull();
    expect(withCustomer(climb(["who"]), { name: "Ana" }).customer).toEqual({ name: "Ana" });
  });

  test("[ACC-17] only checks of who somebody is, on a message, that passed, open a level", () => {
    const gate = (name: string, over: Partial<Gate> = {}) =>
      ({ name, on: "every_user_message", type: "custom_check", ...over }) as Gate;
    const result = (gateName: string, action: GateResult["action"] = "continue") =>
      ({ gateName, action }) as GateResult;
    const gates = [
      gate("who"),
      gate("badge"),
      gate("twice"),
      gate("silent"),
      gate("answer", { on: "every_agent_response" }),
      gate("words", { type: "string_match" }),
    ];
    const results = [
      result("who"),
      result("badge", "block"),
      result("twice"),
      result("twice", "require_approval"),
      result("answer"),
      result("words"),
      result("unknown"),
    ];
    expect(openingGates(gates, results)).toEqual(["who"]);
  });
});
