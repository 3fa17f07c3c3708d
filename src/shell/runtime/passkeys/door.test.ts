import { describe, expect, test } from "vitest";
import { instantFromMs, LIMITS, ok, sha256Hex, type Instant } from "#base";
import type { AuditDraft, Passkey, PasskeyAssertion } from "#model";
import type { PasskeyStore } from "#ports";
import { systemRandomness } from "../system.ts";
import { createAuthenticator, ORIGIN, type Answering, type Authenticator } from "../../../../test/authenticator.ts";
import { createPasskeysDoor } from "./door.ts";
import { must } from "../must.fixture.ts";

const SESSION = "laptop";
const TEXT = new TextEncoder().encode("silas-approval-v1\n{}");

/** The plainest store there is; what a real one promises is in its contract. */
function createShelf(): PasskeyStore {
  let kept: readonly Passkey[] = [];
  return {
    list: async () => ok(kept),
    add: async (passkey) => {
      kept = [...kept, passkey];
      return ok();
    },
    recordUse: async ({ passkeyId, counter, at }) => {
      kept = kept.map((each) => (each.passkeyId === passkeyId ? { ...each, counter, lastUsedAt: at } : each));
      return ok();
    },
    remove: async ({ passkeyId }) => {
      const found = kept.find((each) => each.passkeyId === passkeyId);
      if (found === undefined) throw new Error("the test removes what is there");
      kept = kept.filter((each) => each !== found);
      return ok(found);
    },
  };
}

function createRoom() {
  let nowMs = 1_800_000_000_000;
  const refusals: string[] = [];
  const now = (): Instant => must(instantFromMs(nowMs));
  const door = createPasskeysDoor({
    store: createShelf(),
    audit: {
      append: async (draft: AuditDraft) => {
        refusals.push([draft.event, ...Object.values(draft.data)].join(" "));
        return { ok: false, error: { code: "store_failed", retryable: false } };
      },
    },
    clock: { now },
    randomness: systemRandomness,
    isOwnOrigin: (origin) => origin === ORIGIN || origin === "http://127.0.0.1:8420",
  });
  const begin = (proof: PasskeyAssertion | null = null, sessionId = SESSION) =>
    door.begin({ sessionId, deviceName: "Laptop", origin: ORIGIN, proof });
  const addWith = async (authenticator: Authenticator, bend: Partial<Answering> = {}) => {
    const { challenge } = must(await begin());
    return door.add({ sessionId: SESSION, name: "Finger", attestation: authenticator.make({ challenge, ...bend }) });
  };
  const added = async () => {
    const authenticator = createAuthenticator();
    return { authenticator, passkey: must(await addWith(authenticator)) };
  };
  return { door, refusals, begin, addWith, added, later: (ms: number) => void (nowMs += ms) };
}

describe("a passkey that is made", () => {
  test("is asked for by the name of the page, with a person who proves to be there, and belongs to the session", async () => {
    const { door, begin, addWith } = createRoom();
    const options = must(await begin());
    expect(options).toMatchObject({
      rp: { id: "localhost" },
      attestation: "none",
      excludeCredentials: [],
      authenticatorSelection: { userVerification: "required" },
    });
    expect(must(await begin(null, "phone")).user.id).not.toBe(options.user.id);
    const passkey = must(await addWith(createAuthenticator()));
    expect(passkey).toMatchObject({ sessionId: SESSION, rpId: "localhost", name: "Finger", counter: 0 });
    expect(must(await door.availableFor(SESSION))).toBe(true);
    expect(must(await door.availableFor("phone"))).toBe(false);
  });

  test.each([
    ["challenge_differs", { challenge: "AAAA" }],
    ["origin_differs", { origin: "http://localhost:9999" }],
    ["origin_differs", { origin: "http://127.0.0.1:8420" }],
    ["user_not_verified", { flags: 1 }],
    ["malformed", { rpId: "example.com" }],
    ["malformed", { type: "webauthn.get" }],
  ] as const)("is not kept: %s", async (reason, bend) => {
    const { door, addWith } = createRoom();
    expect(await addWith(createAuthenticator(), bend)).toEqual({
      ok: false,
      error: { code: "passkey_not_made", reason },
    });
    expect(must(await door.list())).toEqual([]);
  });

  test("answers one question, of its own session, within five minutes", async () => {
    const { door, begin } = createRoom();
    const authenticator = createAuthenticator();
    const attestation = authenticator.make({ challenge: must(await begin()).challenge });
    const refused = { error: { code: "passkey_not_made", reason: "challenge_differs" } };
    expect(await door.add({ sessionId: "phone", name: "x", attestation })).toMatchObject(refused);
    must(await door.add({ sessionId: SESSION, name: "x", attestation }));
    expect(await door.add({ sessionId: SESSION, name: "x", attestation })).toMatchObject(refused);
    const room = createRoom();
    const late = authenticator.make({ challenge: must(await room.begin()).challenge });
    room.later(LIMITS.passkeyChallengeMs);
    expect(await room.door.add({ sessionId: SESSION, name: "x", attestation: late })).toMatchObject(refused);
  });

  test("is not made for an address of numbers", async () => {
    const { door } = createRoom();
    for (const host of ["127.0.0.1", "[::1]"]) {
      const origin = `http://${host}:8420`;
      expect(await door.begin({ sessionId: SESSION, deviceName: "x", origin, proof: null })).toEqual({
        ok: false,
        error: { code: "passkey_needs_name", host },
      });
    }
  });
});

describe("a passkey that answers", () => {
  test("is asked about the signing text itself, and its answer counts once", async () => {
    const { door, added } = createRoom();
    const { authenticator, passkey } = await added();
    const asked = must(await door.challengeFor({ sessionId: SESSION, bytes: TEXT }));
    const digest = sha256Hex(`silas-passkey-v1\n${new TextDecoder().decode(TEXT)}`);
    expect(asked).toEqual({
      challenge: Buffer.from(digest, "hex").toString("base64url"),
      credentialIds: [passkey.credentialId],
    });
    const { challenge } = asked;
    const assertion = authenticator.answer({ challenge, counter: 1 });
    expect(must(await door.verify({ sessionId: SESSION, challenge, assertion }))).toMatchObject({
      credentialId: passkey.credentialId,
    });
    expect(await door.verify({ sessionId: SESSION, challenge, assertion })).toMatchObject({
      error: { reason: "challenge_differs" },
    });
    expect(must(await door.list())[0]?.counter).toBe(1);
  });

  test.each([
    ["challenge_differs", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["origin_differs", { origin: "http://localhost:9999" }],
    ["origin_differs", { origin: "https://localhost.evil.example" }],
    ["user_not_verified", { flags: 1 }],
    ["user_not_verified", { flags: 4 }],
    ["malformed", { rpId: "example.com" }],
    ["malformed", { type: "webauthn.create" }],
  ] as const)("is refused and recorded: %s", async (reason, bend) => {
    const { door, added, refusals } = createRoom();
    const { authenticator } = await added();
    const { challenge } = must(await door.challengeFor({ sessionId: SESSION, bytes: TEXT }));
    const assertion = authenticator.answer({ challenge, ...bend });
    expect(await door.verify({ sessionId: SESSION, challenge, assertion })).toEqual({
      ok: false,
      error: { code: "passkey_refused", reason },
    });
    expect(refusals).toEqual([`passkey_refused ${SESSION} approval ${reason}`]);
  });

  test("with another key, from another session or about another text is refused", async () => {
    const { door, added } = createRoom();
    const { authenticator, passkey } = await added();
    const ask = async () => must(await door.challengeFor({ sessionId: SESSION, bytes: TEXT })).challenge;
    const tell = async (assertion: PasskeyAssertion, challenge: string, sessionId = SESSION) => {
      const verified = await door.verify({ sessionId, challenge, assertion });
      return verified.ok ? "verified" : verified.error;
    };
    const challenge = await ask();
    const stranger = createAuthenticator().answer({ challenge });
    expect(await tell(stranger, challenge)).toMatchObject({ reason: "unknown_credential" });
    await ask();
    const claimed = { ...stranger, id: passkey.credentialId, rawId: passkey.credentialId };
    expect(await tell(claimed, challenge)).toMatchObject({ reason: "signature_invalid" });
    await ask();
    expect(await tell(authenticator.answer({ challenge }), challenge, "phone")).toMatchObject({
      reason: "challenge_differs",
    });
    expect(await tell(authenticator.answer({ challenge }), "another")).toMatchObject({ reason: "challenge_differs" });
    expect(await door.challengeFor({ sessionId: "phone", bytes: TEXT })).toMatchObject({
      error: { code: "passkey_missing" },
    });
  });

  test("every damaged byte of an answer is refused", async () => {
    const { door, added } = createRoom();
    const { authenticator } = await added();
    for (const part of ["clientDataJSON", "authenticatorData", "signature"] as const) {
      for (let at = 0; at < 40; at += 3) {
        const { challenge } = must(await door.challengeFor({ sessionId: SESSION, bytes: TEXT }));
        const assertion = authenticator.answer({ challenge });
        const bytes = Buffer.from(assertion.response[part], "base64url");
        bytes.writeUInt8(bytes.readUInt8(at % bytes.length) ^ 0x20, at % bytes.length);
        const response = { ...assertion.response, [part]: bytes.toString("base64url") };
        const verified = await door.verify({ sessionId: SESSION, challenge, assertion: { ...assertion, response } });
        expect(verified.ok, `${part} ${at}`).toBe(false);
      }
    }
  });
});

describe("adding a second and taking one away", () => {
  test("a question from before there was one adds no second: whoever only holds the session comes too late", async () => {
    const { door, begin } = createRoom();
    const [owner, thief] = [createAuthenticator(), createAuthenticator()];
    const attestation = owner.make({ challenge: must(await begin()).challenge });
    const adding = door.add({ sessionId: SESSION, name: "Finger", attestation });
    // While the first is being checked, none is there yet.
    const { challenge } = must(await begin());
    const { passkeyId } = must(await adding);
    const second = await door.add({ sessionId: SESSION, name: "Thief", attestation: thief.make({ challenge }) });
    expect(second).toEqual({ ok: false, error: { code: "passkey_proof_needed", passkeyId } });
    expect(must(await door.list())).toHaveLength(1);
  });

  test("a further passkey needs the word of one that is there", async () => {
    const { door, added, begin } = createRoom();
    const { authenticator, passkey } = await added();
    expect(await begin()).toMatchObject({ error: { code: "passkey_proof_needed" } });
    const { challenge } = must(await door.ask({ sessionId: SESSION, purpose: "add", passkeyId: null }));
    expect(await begin(createAuthenticator().answer({ challenge }))).toMatchObject({ ok: false });
    const again = must(await door.ask({ sessionId: SESSION, purpose: "add", passkeyId: null }));
    const options = must(await begin(authenticator.answer({ challenge: again.challenge })));
    expect(options.excludeCredentials.map(({ id }) => id)).toEqual([passkey.credentialId]);
  });

  test("an answer that was asked for one purpose counts for no other", async () => {
    const { door, added, begin } = createRoom();
    const { authenticator, passkey } = await added();
    const { challenge } = must(await door.challengeFor({ sessionId: SESSION, bytes: TEXT }));
    expect(await begin(authenticator.answer({ challenge }))).toMatchObject({ error: { reason: "challenge_differs" } });
    const asked = must(await door.ask({ sessionId: SESSION, purpose: "add", passkeyId: null }));
    const by = { sessionId: SESSION, proof: authenticator.answer({ challenge: asked.challenge }) };
    expect(await door.remove({ passkeyId: passkey.passkeyId, by })).toMatchObject({ ok: false });
  });

  test("only the passkey itself or the terminal takes it away", async () => {
    const { door, added, begin } = createRoom();
    const { authenticator, passkey } = await added();
    const { passkeyId } = passkey;
    const second = createAuthenticator();
    const { challenge: proof } = must(await door.ask({ sessionId: SESSION, purpose: "add", passkeyId: null }));
    const { challenge } = must(await begin(authenticator.answer({ challenge: proof })));
    must(await door.add({ sessionId: SESSION, name: "Key", attestation: second.make({ challenge }) }));
    const asked = async () => must(await door.ask({ sessionId: SESSION, purpose: "remove", passkeyId }));
    expect(await door.remove({ passkeyId, by: { sessionId: SESSION, proof: null } })).toMatchObject({
      error: { code: "passkey_proof_needed" },
    });
    const other = second.answer({ challenge: (await asked()).challenge });
    expect(await door.remove({ passkeyId, by: { sessionId: SESSION, proof: other } })).toMatchObject({
      error: { code: "passkey_proof_needed" },
    });
    const { challenge: last, credentialIds } = await asked();
    expect(credentialIds).toEqual([passkey.credentialId]);
    const own = authenticator.answer({ challenge: last });
    must(await door.remove({ passkeyId, by: { sessionId: SESSION, proof: own } }));
    const [left] = must(await door.list());
    expect(left?.credentialId).toBe(second.id);
    if (left !== undefined) must(await door.remove({ passkeyId: left.passkeyId, by: null }));
    expect(must(await door.list())).toEqual([]);
  });
});
