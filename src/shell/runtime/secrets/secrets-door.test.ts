import { describe, expect, test } from "vitest";
import { LIMITS, type Instant } from "#base";
import type { SecretRef, VaultFault, WantedSecret } from "#model";
import type { SecureInputStore, Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { SIGNING_KEY_REF } from "../keys/signer.ts";
import { createSecretsDoor } from "./secrets-door.ts";
import { must, mustFail } from "../must.fixture.ts";

const BY = { kind: "terminal" } as const;
const REF = "mail.token" as SecretRef;
const CANARY = "canary-7f3a-not-for-any-log";
const WANTED: WantedSecret = {
  refId: REF,
  label: "Mail token",
  inputHint: "^[0-9]{6}$",
  host: null,
  guidance: { instructions: "Settings, then tokens.", helpUrl: null },
};

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

type Breaks = { readonly vault?: Partial<Vault>; readonly inputs?: Partial<SecureInputStore> };

function open(breaks: Breaks = {}) {
  let at = "2026-11-15T08:00:00.000Z" as Instant;
  let changes = 0;
  const vault = createMemoryVault();
  const { audit, secureInputs: inputs } = openInMemory();
  const doorOver = (broken: Breaks) =>
    createSecretsDoor({
      vault: { ...vault, ...broken.vault },
      inputs: { ...inputs, ...broken.inputs },
      clock: { now: () => at },
      onChanged: () => void (changes += 1),
    });
  return {
    door: doorOver(breaks),
    doorOver,
    vault,
    inputs,
    changes: () => changes,
    setClock: (text: string) => void (at = text as Instant),
    kept: async (ref = REF) => {
      const got = await vault.get(ref);
      return got.ok ? Buffer.from(got.value).toString() : null;
    },
    events: async () =>
      must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 100 }))
        .toReversed()
        .map(({ event }) => event),
  };
}

const input = (text: string, refId = REF) => ({ refId, secret: bytes(text), actor: BY });

describe("storing a secret", () => {
  test("[SECRET-05] puts exactly what was given into the vault under its name", async () => {
    const { door, kept } = open();
    must(await door.ask(WANTED, BY));
    must(await door.store(input(CANARY)));
    expect(await kept()).toBe(CANARY);
  });

  test("[SECRET-12] answers with the name and success alone, and the hint is held against nothing", async () => {
    const { door } = open();
    const { request } = must(await door.ask(WANTED, BY));
    expect(Object.keys(request).toSorted()).toEqual(
      ["refId", "label", "inputHint", "guidance", "host", "createdAt", "expiresAt", "state", "requestedBy"].toSorted(),
    );
    expect(Object.keys(request.guidance)).toEqual(["instructions", "helpUrl"]);
    const answers = [must(await door.store(input(CANARY))), must(await door.list()), must(await door.pending())];
    expect(answers[0]).toEqual({ refId: REF, success: true });
    expect(JSON.stringify(answers)).not.toContain(CANARY);
  });

  test("[SECRET-06] what was never asked for, or whose time is over, is refused and the vault stays as it was", async () => {
    const { door, kept, setClock, events } = open();
    expect(mustFail(await door.store(input(CANARY)))).toEqual({ code: "secret_not_asked", refId: REF });
    const { request } = must(await door.ask(WANTED, BY));
    expect(Date.parse(request.expiresAt) - Date.parse(request.createdAt)).toBe(LIMITS.secretAskedMs);
    setClock(request.expiresAt);
    expect(mustFail(await door.store(input(CANARY)))).toEqual({ code: "secret_not_asked", refId: REF });
    expect(must(await door.pending())).toEqual([]);
    expect(await kept()).toBeNull();
    expect(await events()).toEqual(["secret_asked"]);
  });

  test("[SECRET-07] of many at the same moment one is stored, the others change nothing", async () => {
    const { door, kept, events } = open();
    must(await door.ask(WANTED, BY));
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => door.store(input(`value ${index}`))));
    expect(answers.map((answer) => (answer.ok ? "stored" : answer.error.code))).toEqual([
      "stored",
      ...Array.from({ length: 7 }, () => "secret_fulfilled"),
    ]);
    expect(await kept()).toBe("value 0");
    expect(await events()).toEqual(["secret_asked", "secret_stored"]);
  });

  test("[SECRET-09] the given bytes are overwritten, also when it is refused, fails or throws", async () => {
    const { doorOver } = open();
    const fault: VaultFault = { code: "vault_unavailable", retryable: true, cause: new Error(CANARY) };
    const overwritten = async (breaks: Breaks, isAsked: boolean) => {
      const door = doorOver(breaks);
      if (isAsked) must(await door.ask(WANTED, BY));
      const given = input(CANARY);
      const answer = await door.store(given);
      expect(given.secret.every((byte) => byte === 0)).toBe(true);
      expect(JSON.stringify(answer, causesToo)).not.toContain(CANARY);
      return answer.ok ? "stored" : answer.error.code;
    };
    const throws = async () => {
      throw new Error(`cannot write ${CANARY}`);
    };
    expect(await overwritten({}, false)).toBe("secret_not_asked");
    expect(await overwritten({ vault: { put: async () => ({ ok: false, error: fault }) } }, true)).toBe(
      "vault_unavailable",
    );
    expect(await overwritten({ vault: { put: throws } }, true)).toBe("store_failed");
    expect(await overwritten({}, true)).toBe("stored");
  });

  test("is never called stored when it is not, and can be done again after a cut between vault and record", async () => {
    const { door, doorOver, kept, events } = open();
    must(await door.ask(WANTED, BY));
    const cut = doorOver({
      inputs: { fulfil: async () => ({ ok: false, error: { code: "disk_full", retryable: true } }) },
    });
    expect(mustFail(await cut.store(input("first try"))).code).toBe("disk_full");
    expect(must(await door.list())).toMatchObject([{ refId: REF, request: { state: "pending" }, isStored: true }]);
    const failing = doorOver({
      vault: { put: async () => ({ ok: false, error: { code: "disk_full", retryable: true } }) },
    });
    expect(mustFail(await failing.store(input("lost"))).code).toBe("disk_full");
    expect(must(await door.pending()).map(({ refId }) => refId)).toEqual([REF]);
    must(await door.store(input("second try")));
    expect(await kept()).toBe("second try");
    expect(await events()).toEqual(["secret_asked", "secret_stored"]);
  });
});

describe("names", () => {
  test("those of Silas's own keys are never asked for, written, listed or removed", async () => {
    const { door, vault, inputs, kept, events } = open();
    must(await vault.put(SIGNING_KEY_REF, bytes("seed")));
    for (const name of [SIGNING_KEY_REF, "owner-anything", "silas-anything"] as const) {
      const refId = name as SecretRef;
      expect(mustFail(await door.ask({ ...WANTED, refId }, BY))).toEqual({ code: "secret_ref_reserved", refId });
      // Nor when a row for it was put into the file by other means.
      must(await inputs.ask({ ...must(await open().door.ask(WANTED, BY)).request, refId }));
      expect(mustFail(await door.store(input(CANARY, refId))).code).toBe("secret_not_asked");
      expect(mustFail(await door.remove(refId, BY)).code).toBe("secret_not_asked");
    }
    expect(must(await door.list()).map(({ isStored }) => isStored)).toEqual([]);
    expect(await kept(SIGNING_KEY_REF)).toBe("seed");
    expect((await events()).every((event) => event === "secret_asked")).toBe(true);
  });

  test("a secret without a request and a request without a secret are both listed", async () => {
    const { door, vault } = open();
    must(await vault.put("older" as SecretRef, bytes("x")));
    must(await door.ask(WANTED, BY));
    expect(must(await door.list()).map(({ refId, request, isStored }) => [refId, request?.state, isStored])).toEqual([
      [REF, "pending", false],
      ["older", undefined, true],
    ]);
  });

  test("a removed secret is gone from the vault and from the requests, and recorded once", async () => {
    const { door, kept, events } = open();
    must(await door.ask(WANTED, BY));
    must(await door.store(input(CANARY)));
    must(await door.remove(REF, BY));
    expect(await kept()).toBeNull();
    expect(must(await door.list())).toEqual([]);
    expect(mustFail(await door.remove(REF, BY)).code).toBe("secret_not_asked");
    expect(await events()).toEqual(["secret_asked", "secret_stored", "secret_removed"]);
  });

  test("whoever looks is told after each change and not after a refusal", async () => {
    const { door, changes } = open();
    must(await door.ask(WANTED, BY));
    must(await door.ask(WANTED, BY));
    mustFail(await door.ask({ ...WANTED, refId: SIGNING_KEY_REF }, BY));
    expect(changes()).toBe(1);
    must(await door.store(input("x")));
    mustFail(await door.store(input("y")));
    must(await door.remove(REF, BY));
    expect(changes()).toBe(3);
  });

  test("the vault's place is told without opening it again", async () => {
    const { doorOver, vault } = open();
    must(await vault.put(REF, bytes("x")));
    let asked = 0;
    const status: Vault["status"] = async () => {
      asked += 1;
      return { backend: "encrypted_file", opensWith: "key_file", state: asked === 1 ? "vault_locked" : "unlocked" };
    };
    const door = doorOver({ vault: { status } });
    const place = { backend: "encrypted_file", opensWith: "key_file" };
    for (let count = 0; count < 4; count += 1) expect(await door.vault()).toEqual(place);
    expect(asked).toBe(2);
  });
});

/** Errors keep their message where JSON would drop it. */
const causesToo = (_key: string, value: unknown): unknown => (value instanceof Error ? value.message : value);
