import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { err, ok, sha256Hex, type Instant } from "#base";
import { acceptStatement, type Hold, type OwnerKey, type PublicKeyHex } from "#model";
import { createAuditRules } from "#policy";
import type { AcceptedHold, HoldStore } from "#ports";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { keyIdOf } from "../keys/ed25519.ts";
import { enrolledBy, must } from "../must.fixture.ts";
import { createHoldDoor } from "./hold-door.ts";

const AT = "2026-11-15T08:00:00.000Z" as Instant;
const HOLD = { reason: "database_older", seq: 7, hash: sha256Hex("seven"), missing: 2 } as Hold;
const TERMINAL = { kind: "terminal" } as const;
const SHOWN = { seq: HOLD.seq, hash: HOLD.hash };

async function setUp() {
  const { keys: registry, sessions } = openInMemory(createAuditRules(sha256Hex, () => true));
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const hex = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex") as PublicKeyHex;
  const times = { enrolledAt: AT, revokedAt: null, lastUsedAt: null };
  const key: OwnerKey = {
    keyId: keyIdOf(hex),
    publicKey: hex,
    name: "Phone",
    kind: "browser",
    sessionId: "phone",
    ...times,
  };
  const session = { deviceName: "Phone", tokenDigest: "digest", createdAt: AT, lastSeenAt: AT, revokedAt: null };
  must(await sessions.add({ sessionId: "phone", ...session }));
  must(await registry.add(key, enrolledBy(TERMINAL, key)));
  const disk = { isFull: false };
  let hold: Hold | null = HOLD;
  const store: HoldStore = {
    current: () => hold,
    accept: () => {
      if (disk.isFull) return err({ code: "disk_full", retryable: true });
      hold = null;
      return ok();
    },
  };
  const told: string[] = [];
  const door = createHoldDoor({
    store,
    registry,
    clock: { now: () => AT },
    onChanged: () => void told.push("changed"),
  });
  const signedBy = (sessionId: string, shown = SHOWN): AcceptedHold => ({
    ...SHOWN,
    actor: { kind: "owner", session_id: sessionId },
    signed: {
      keyId: key.keyId,
      signature: sign(null, Buffer.from(acceptStatement({ ...shown, sessionId })), privateKey).toString("hex"),
    },
  });
  return { door, told, disk, signedBy };
}

test("[APPR-16] the terminal accepts an older database by its word, and what waited for it goes on in order, once", async () => {
  const { door, told } = await setUp();
  const later = (word: string) => async () => {
    await Promise.resolve();
    told.push(word);
  };
  door.onAccepted(later("first"));
  await door.whenOpen(later("second"));
  expect(told).toEqual([]);
  must(await door.accept({ ...SHOWN, actor: TERMINAL, signed: null }));
  expect(told).toEqual(["first", "second", "changed"]);
  expect(door.current()).toBeNull();
  await door.whenOpen(later("at once"));
  expect(told.at(-1)).toBe("at once");
  expect(await door.accept({ ...SHOWN, actor: TERMINAL, signed: null })).toEqual(err({ code: "hold_over" }));
});

test("[APPR-16] a device accepts with its own key what it was shown; its session alone, or another one, is refused", async () => {
  const { door, told, signedBy } = await setUp();
  const refusals: readonly (readonly [AcceptedHold, string])[] = [
    [{ ...signedBy("phone"), signed: null }, "device_signature_needed"],
    [{ ...signedBy("phone"), actor: { kind: "system" } }, "device_signature_needed"],
    [signedBy("laptop"), "device_signature_needed"],
    [signedBy("phone", { ...SHOWN, seq: 8 }), "signature_invalid"],
    [{ ...signedBy("phone"), signed: { keyId: "0".repeat(32), signature: "00" } }, "key_unknown"],
    [{ ...signedBy("phone"), seq: 8 }, "hold_differs"],
    [{ ...signedBy("phone"), hash: sha256Hex("eight") }, "hold_differs"],
  ];
  for (const [accepting, code] of refusals) {
    expect(await door.accept(accepting)).toMatchObject({ ok: false, error: { code } });
  }
  expect([door.current(), told]).toEqual([HOLD, []]);
  must(await door.accept(signedBy("phone")));
  expect([door.current(), told]).toEqual([null, ["changed"]]);
});

test("accepting that cannot be written leaves everything as it was", async () => {
  const { door, told, disk } = await setUp();
  disk.isFull = true;
  door.onAccepted(async () => void told.push("accepted"));
  expect(await door.accept({ ...SHOWN, actor: TERMINAL, signed: null })).toMatchObject({
    error: { code: "disk_full" },
  });
  expect([door.current(), told]).toEqual([HOLD, []]);
});
