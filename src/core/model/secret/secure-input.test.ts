import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secretRefSchema } from "../keys.ts";
import { wordPartsFor } from "../words.ts";
import {
  isReservedRef,
  secretValueSchema,
  secureInputToWire,
  wantedSecretFromWire,
  wantedSecretSchema,
  wantedSecretToWire,
  type SecureInputRequest,
} from "./secure-input.ts";

const BODY = {
  ref_id: "mail.token",
  label: "Mail token",
  input_hint: null,
  guidance: { instructions: "", help_url: null },
  host: null,
};
const isWanted = (changed: object): boolean => wantedSecretSchema.safeParse({ ...BODY, ...changed }).success;
const isHelp = (url: unknown): boolean => isWanted({ guidance: { instructions: "", help_url: url } });

describe("a request for a secret", () => {
  test("[SECRET-12] has these fields and no other, so that nothing of the secret can be part of it", () => {
    expect(isWanted({})).toBe(true);
    for (const extra of ["value", "secret", "state", "requested_by", "expires_at"]) {
      expect(isWanted({ [extra]: "x" })).toBe(false);
      expect(isWanted({ guidance: { ...BODY.guidance, [extra]: "x" } })).toBe(false);
    }
    for (const field of Object.keys(BODY)) {
      const { [field as keyof typeof BODY]: _left, ...rest } = BODY;
      expect(wantedSecretSchema.safeParse(rest).success).toBe(false);
    }
    const request: SecureInputRequest = {
      ...wantedSecretFromWire(wantedSecretSchema.parse(BODY)),
      createdAt: "2026-11-15T08:00:00.000Z" as SecureInputRequest["createdAt"],
      expiresAt: "2026-11-16T08:00:00.000Z" as SecureInputRequest["expiresAt"],
      state: "pending",
      requestedBy: { kind: "terminal" },
    };
    expect(wantedSecretToWire(request)).toEqual(BODY);
    expect(secureInputToWire(request)).toEqual({
      ...BODY,
      created_at: "2026-11-15T08:00:00.000Z",
      expires_at: "2026-11-16T08:00:00.000Z",
    });
  });

  test("leads to help over https alone, with a host that can be read", () => {
    for (const url of ["https://example.com", "https://example.com:8443/a?b=c#d", "https://EXAMPLE.com/"]) {
      expect(isHelp(url)).toBe(true);
      expect(URL.canParse(url)).toBe(true);
    }
    for (const url of [
      "http://example.com",
      "javascript:alert(1)",
      "https://user:pass@evil.example",
      "https://good.example@evil.example/",
      "https://exa\u0430mple.com",
      "https://example.com/\u202e",
      "https://example.com/ x",
      "https://",
      "//example.com",
      "",
      7,
    ]) {
      expect([url, isHelp(url)]).toEqual([url, false]);
    }
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (tail) => {
        const url = `https://example.com${tail}`;
        fc.pre(isHelp(url) && URL.canParse(url));
        expect(new URL(url).protocol + new URL(url).username).toBe("https:");
        expect(new URL(url).hostname).toMatch(/^example\.com/);
      }),
    );
  });

  test("a name of Silas's own keys is one that begins as they do", () => {
    const isReserved = (name: string) => isReservedRef(secretRefSchema.parse(name));
    expect(["owner-signing-key", "owner-", "silas-x"].filter((name) => !isReserved(name))).toEqual([]);
    expect(["owner", "owners-key", "my-owner-key", "silas.token", "mail"].filter(isReserved)).toEqual([]);
  });
});

test("the body that brings a secret holds one text and nothing else, and the text may be anything", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (value) => {
      expect(secretValueSchema.parse({ value })).toEqual({ value });
    }),
  );
  for (const body of [
    {},
    { value: "" },
    { value: 1 },
    { value: "x", more: 1 },
    "x",
    null,
    { value: "x".repeat(16_385) },
  ]) {
    expect(secretValueSchema.safeParse(body).success).toBe(false);
  }
});

test("every refusal says that the vault is as it was, and what to do", () => {
  for (const code of [
    "secret_not_asked",
    "secret_fulfilled",
    "secret_ref_reserved",
    "too_many_asked",
    "https_needed",
  ]) {
    const words = wordPartsFor({ code, refId: "a\u202eb", max: 3 } as { readonly code: string });
    expect(words.kept).toBe("The vault is as it was.");
    expect(words.next).not.toBe("");
    expect(words.what).not.toContain("\u202e");
  }
});
