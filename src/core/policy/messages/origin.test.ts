import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instantFromMs, msOfInstant, type Instant } from "#base";
import { judgeOrigin, type ClaimFact, type IdentityFact, type OriginFacts } from "./origin.ts";

const NOW = "2026-11-15T08:00:00.000Z" as Instant;
const WINDOW_MS = 300_000;

function fromNow(ms: number): Instant {
  const instant = instantFromMs(msOfInstant(NOW) + ms);
  if (!instant.ok) throw new Error("a moment of this test is real");
  return instant.value;
}

const facts = (over: Partial<OriginFacts>): OriginFacts => ({
  claim: "valid",
  identity: "owner",
  timestamp: NOW,
  at: NOW,
  freshnessMs: WINDOW_MS,
  ...over,
});

const CLAIMS: readonly ClaimFact[] = ["absent", "valid", "signature_invalid", "key_unknown", "key_revoked"];
const IDENTITIES: readonly IdentityFact[] = ["owner", "known", "unknown"];

describe("where a message comes from", () => {
  test("[MSG-04] [TURN-11] only a valid signature inside the window makes it the owner's, and then its nonce must be spent", () => {
    for (const ms of [0, -WINDOW_MS, WINDOW_MS]) {
      expect(judgeOrigin(facts({ timestamp: fromNow(ms) })).first).toEqual({ taint: "owner", origin: "signature" });
    }
    for (const claim of CLAIMS) {
      for (const identity of IDENTITIES) {
        const { first, replayed } = judgeOrigin(facts({ claim, identity }));
        expect(first.taint === "owner").toBe(claim === "valid");
        expect(replayed === null).toBe(claim !== "valid");
      }
    }
  });

  test("[MSG-05] the same nonce once more makes it foreign, also from a session of the owner", () => {
    for (const identity of IDENTITIES) {
      expect(judgeOrigin(facts({ identity })).replayed).toEqual({ taint: "external", origin: "nonce_used" });
    }
  });

  test("[MSG-06] a time outside the window makes it foreign, to the millisecond, and no nonce is spent for it", () => {
    const at = (ms: number) => judgeOrigin(facts({ timestamp: fromNow(ms) }));
    expect(at(-WINDOW_MS - 1)).toEqual({ first: { taint: "external", origin: "timestamp_stale" }, replayed: null });
    expect(at(WINDOW_MS + 1)).toEqual({ first: { taint: "external", origin: "timestamp_ahead" }, replayed: null });
    expect(judgeOrigin(facts({ timestamp: null })).first.taint).toBe("external");
  });

  test("[MSG-07] [TURN-13] without a signature a known sender gives auth and anyone else external; a broken one is foreign for both", () => {
    expect(judgeOrigin(facts({ claim: "absent", identity: "owner" })).first).toEqual({
      taint: "auth",
      origin: "identity",
    });
    expect(judgeOrigin(facts({ claim: "absent", identity: "known" })).first.taint).toBe("auth");
    expect(judgeOrigin(facts({ claim: "absent", identity: "unknown" })).first.taint).toBe("external");
    for (const claim of ["signature_invalid", "key_unknown", "key_revoked"] as const) {
      for (const identity of IDENTITIES) {
        expect(judgeOrigin(facts({ claim, identity })).first).toEqual({ taint: "external", origin: claim });
      }
    }
  });

  test("no combination of facts but a valid, fresh signature is ever trusted as the owner", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CLAIMS),
        fc.constantFrom(...IDENTITIES),
        fc.integer({ min: -4 * WINDOW_MS, max: 4 * WINDOW_MS }),
        (claim, identity, ms) => {
          const { first, replayed } = judgeOrigin(facts({ claim, identity, timestamp: fromNow(ms) }));
          expect(first.taint === "owner").toBe(claim === "valid" && Math.abs(ms) <= WINDOW_MS);
          expect(replayed?.taint ?? "external").toBe("external");
        },
      ),
    );
  });
});
