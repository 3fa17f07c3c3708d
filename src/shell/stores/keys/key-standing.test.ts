import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { KeyId, OwnerKey, PublicKeyHex, SignatureHex } from "#model";
import { openRuntime } from "../open-stores.ts";
import { openSqlite } from "../sqlite.ts";
import { AT, auditRules, countingRandom, fixedClock, must, tempDir } from "../store.fixture.ts";
import { keyStanding } from "./key-registry.ts";

const BY = { kind: "terminal" } as const;
const times = { enrolledAt: AT, revokedAt: null, lastUsedAt: null };
const keyNamed = (digit: string): OwnerKey => ({
  keyId: digit.repeat(32) as KeyId,
  publicKey: digit.repeat(64) as PublicKeyHex,
  name: `key ${digit}`,
  kind: "vault",
  sessionId: null,
  ...times,
});

test("[KEY-01] a key counts inside a commit only if its row and the chain both say so", async () => {
  const dataDir = join(tempDir(), "data");
  const stores = must(await openRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  const db = openSqlite({ path: join(dataDir, "silas.db"), synchronous: "FULL" });
  onTestFinished(async () => {
    db.close();
    await stores.close();
  });
  const keys = ["a", "b", "c"].map(keyNamed);
  for (const key of keys)
    must(
      await stores.keys.add(key, {
        actor: BY,
        signed: { keyId: key.keyId, signature: "0".repeat(128) as SignatureHex },
      }),
    );
  must(await stores.keys.revoke({ keyId: keyNamed("b").keyId, at: AT, lastKey: "refuse", actor: BY }));
  db.run("UPDATE owner_keys SET revoked_at = :at WHERE key_id = :id", { at: AT, id: keyNamed("c").keyId });
  db.run("UPDATE owner_keys SET revoked_at = NULL WHERE key_id = :id", { id: keyNamed("b").keyId });
  // A row without an enrolment entry.
  db.run(
    `INSERT INTO owner_keys (key_id, public_key, name, kind, enrolled_at)
     SELECT :id, :id || :id, name, kind, enrolled_at FROM owner_keys WHERE key_id = :like`,
    { id: keyNamed("d").keyId, like: keyNamed("a").keyId },
  );
  expect([...keys, keyNamed("d"), keyNamed("e")].map(({ keyId }) => keyStanding(db, keyId))).toEqual([
    "enrolled",
    "revoked",
    "revoked",
    "unknown",
    "unknown",
  ]);
});
