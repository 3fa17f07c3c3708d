import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import { ownWordsSchema, sentMessageSchema } from "./message.ts";
import { messageSigningText } from "./statement.ts";

type Vector = { readonly text: string; readonly timestamp: Instant; readonly nonce: string };
type Pinned = { readonly of: Vector; readonly hex: string; readonly sha256: string };

const vectors = JSON.parse(readFileSync(new URL("message-vectors.json", import.meta.url), "utf8")) as readonly Pinned[];

describe("the bytes of a message", () => {
  test("[MSG-02] they are the domain and RFC 8785 of exactly text, timestamp and nonce, as pinned", () => {
    expect(vectors.length).toBeGreaterThanOrEqual(6);
    for (const { of, hex, sha256 } of vectors) {
      const bytes = Buffer.from(messageSigningText(of));
      expect(bytes.toString("hex")).toBe(hex);
      expect(sha256Hex(bytes)).toBe(sha256);
      const [domain, ...rest] = bytes.toString("utf8").split("\n");
      expect(domain).toBe("silas-message-v1");
      const parsed: unknown = JSON.parse(rest.join("\n"));
      expect(parsed).toEqual(of);
      expect(Object.keys(parsed as object)).toEqual(["nonce", "text", "timestamp"]);
    }
  });

  test("[MSG-02] what else is on the object given is not signed and changes nothing", () => {
    const [first] = vectors;
    if (first === undefined) throw new Error("there are vectors");
    const more = { ...first.of, taint: "owner", attachments: ["/etc/passwd"] };
    expect(Buffer.from(messageSigningText(more)).toString("hex")).toBe(first.hex);
  });

  test("[MSG-03] two different triples never share bytes, whatever signs they hold", () => {
    const awkward = fc.string({ unit: fc.constantFrom(..."\"{},:\n|\\ab'[]\u2028é"), maxLength: 12 });
    const triple = fc.record({
      text: awkward,
      timestamp: fc.constantFrom("2026-11-15T08:00:00.000Z", "2026-11-15T08:00:00.001Z") as fc.Arbitrary<Instant>,
      nonce: awkward,
    });
    fc.assert(
      fc.property(triple, triple, (one, other) => {
        const same = one.text === other.text && one.timestamp === other.timestamp && one.nonce === other.nonce;
        expect(messageSigningText(one) === messageSigningText(other)).toBe(same);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("what may be sent", () => {
  const claim = {
    key_id: "a".repeat(32),
    timestamp: "2026-11-15T09:00:00+01:00",
    nonce: "0".repeat(32),
    signature: "x",
  };
  const reasonOf = (body: object): string | undefined => {
    const parsed = sentMessageSchema.safeParse(body);
    const [issue] = parsed.success ? [] : parsed.error.issues;
    return issue === undefined ? undefined : issue.code === "custom" ? issue.message : issue.code;
  };

  test("[MSG-01] a sender says nothing about its own trust: such fields do not exist", () => {
    for (const field of ["taint", "scope_id", "sender_id", "channel", "connection_id", "identity", "approval_token"]) {
      expect(reasonOf({ text: "hello", [field]: "owner" })).toBe("unrecognized_keys");
      expect(ownWordsSchema.safeParse({ text: "hello", [field]: "owner" }).success).toBe(false);
    }
    expect(reasonOf({ text: "hello", signed: { ...claim, taint: "owner" } })).toBe("unrecognized_keys");
  });

  test("what is left out means nothing was attached, answered, quoted or signed", () => {
    expect(sentMessageSchema.parse({ text: "hello" })).toEqual({
      text: "hello",
      attachments: [],
      reply_to: null,
      quotes: [],
      signed: null,
    });
    const parsed = sentMessageSchema.parse({ text: "hello", signed: claim });
    expect(parsed.signed?.timestamp).toBe("2026-11-15T08:00:00.000Z");
  });

  test.each([
    [{ text: "" }, "blank_text"],
    [{ text: " \n " }, "blank_text"],
    [{ text: "a\u0000b" }, "nul_character"],
    [{ text: "a\ud800" }, "invalid_text"],
    [{ text: "x".repeat(100_001) }, "too_big"],
    [{ text: 7 }, "invalid_type"],
    [{}, "invalid_type"],
    [{ text: "a", attachments: Array.from({ length: 21 }, () => "f") }, "too_big"],
    [{ text: "a", attachments: [""] }, "too_small"],
    [{ text: "a", attachments: ["\udc00"] }, "invalid_text"],
    [{ text: "a", reply_to: "a|b" }, "invalid_id"],
    [{ text: "a", signed: { ...claim, nonce: "0".repeat(31) } }, "invalid_format"],
    [{ text: "a", signed: { ...claim, nonce: "0".repeat(30) } }, "invalid_format"],
    [{ text: "a", signed: { ...claim, nonce: "0".repeat(130) } }, "invalid_format"],
    [{ text: "a", signed: { ...claim, nonce: "G".repeat(32) } }, "invalid_format"],
    [{ text: "a", signed: { ...claim, key_id: "short" } }, "invalid_format"],
    [{ text: "a", signed: { ...claim, timestamp: "2026-11-15T09:00:00" } }, "instant_without_offset"],
    [{ text: "a", signed: { ...claim, timestamp: "soon" } }, "invalid_instant"],
    [{ text: "a", signed: { ...claim, signature: "x".repeat(1025) } }, "too_big"],
    [{ text: "a", signed: { key_id: claim.key_id } }, "invalid_type"],
  ])("refuses %j", (body, reason) => expect(reasonOf(body)).toBe(reason));
});
