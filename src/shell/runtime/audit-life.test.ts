import { expect, test } from "vitest";
import { err, ok } from "#base";
import type { KeyId, SecretRef, SignatureHex, SigningError } from "#model";
import type { AuditLog, Signer } from "#ports";
import { createAuditLife } from "./audit-life.ts";
import { createAuditWorld, recorded, settled } from "./audit.fixture.ts";
import { must } from "./must.fixture.ts";

const eventsOf = async (world: ReturnType<typeof createAuditWorld>) =>
  (await recorded(world.audit)).map(([event]) => event);

test("a run is recorded from start to stop, and its ends are marked", async () => {
  const world = createAuditWorld();
  const life = createAuditLife(world);
  must(await life.begin("0.1.0"));
  await settled();
  await life.end();
  expect(await eventsOf(world)).toEqual([
    "instance_started",
    "audit_checkpoint",
    "instance_stopped",
    "audit_checkpoint",
  ]);
  expect(must(await world.audit.verify("latest"))).toMatchObject({ valid: true, entriesChecked: 0 });
});

test("a run that has no end is told of by the next start", async () => {
  const world = createAuditWorld();
  must(await createAuditLife(world).begin("0.1.0"));
  await settled();
  must(await createAuditLife(world).begin("0.1.0"));
  await settled();
  const starts = (await recorded(world.audit)).filter(([event]) => event === "instance_started");
  expect(starts.map(([, data]) => data)).toEqual([
    { version: "0.1.0", ended_cleanly: true },
    { version: "0.1.0", ended_cleanly: false },
  ]);
});

test("a run that has no end is looked for among the latest two thousand entries, and not further back", async () => {
  const seen: unknown[] = [];
  for (const between of [1_999, 2_000]) {
    const world = createAuditWorld();
    const by = { at: world.clock.now(), actor: { kind: "system" } } as const;
    const data = { version: "0.1.0", ended_cleanly: true };
    must(await world.audit.append({ event: "instance_started", data, ...by }));
    for (let index = 0; index < between; index += 1) {
      must(await world.audit.append({ event: "journal_import_started", data: { act_id: "import" }, ...by }));
    }
    must(await createAuditLife(world).begin("0.1.0"));
    seen.push((await recorded(world.audit)).findLast(([event]) => event === "instance_started")?.[1]);
  }
  expect(seen).toMatchObject([{ ended_cleanly: false }, { ended_cleanly: true }]);
});

test("what is new is marked after a while, and nothing new needs no mark", async () => {
  const world = createAuditWorld();
  const life = createAuditLife(world);
  must(await life.begin("0.1.0"));
  await settled();
  await life.job.run();
  expect(await eventsOf(world)).toEqual(["instance_started", "audit_checkpoint"]);
  must(
    await world.audit.append({ event: "instance_stopped", data: {}, at: world.clock.now(), actor: { kind: "system" } }),
  );
  await life.job.run();
  expect((await eventsOf(world)).at(-1)).toBe("audit_checkpoint");
});

/** A signer that counts how often the vault was opened, and whether each key was let go again. */
function countingSigner(refusal: SigningError | null) {
  const counts = { opened: 0, held: 0 };
  const headKey: Signer["headKey"] = async () => {
    counts.opened += 1;
    if (refusal !== null) return err(refusal);
    counts.held += 1;
    const sign = () => "00".repeat(64) as SignatureHex;
    return ok({ keyId: "key-1" as KeyId, sign, forget: () => void (counts.held -= 1) });
  };
  return { counts, headKey };
}

test("every mark is made with the key of the vault, which is let go at once and not asked for when nothing is new", async () => {
  const world = createAuditWorld();
  const signer = countingSigner(null);
  // No signature of this key holds, so each mark is made on a chain of its own.
  let marks = 0;
  const checkpoint: AuditLog["checkpoint"] = async ({ key, at, checkpointId }) => {
    marks += 1;
    const { seq, hash } = must(await world.audit.head());
    const signature = key?.sign({ seq, hash, at, checkpointId, keyId: key.keyId }) ?? null;
    return ok({ seq, hash, checkpointId, signature });
  };
  const life = createAuditLife({ ...world, audit: { ...world.audit, checkpoint }, signer });
  must(await life.begin("0.1.0"));
  await settled();
  await life.job.run();
  expect({ marks, ...signer.counts }).toEqual({ marks: 1, opened: 1, held: 0 });
  await life.mark();
  await life.end();
  expect({ marks, ...signer.counts }).toEqual({ marks: 3, opened: 3, held: 0 });
});

test("a locked vault is told of in the log, and the head is marked without a signature", async () => {
  const world = createAuditWorld();
  const warnings: string[] = [];
  const log = { ...world.log, warn: (event: string) => void warnings.push(event) };
  const locked = countingSigner({ code: "vault_locked", retryable: false, missing: "passphrase" });
  must(await createAuditLife({ ...world, log, signer: locked }).begin("0.1.0"));
  await settled();
  expect(must(await world.audit.verify("genesis"))).toMatchObject({ valid: true, headsChecked: 1, headsSigned: 0 });
  expect(warnings).toEqual(["audit_head_unsigned"]);
  const empty = countingSigner({ code: "secret_missing", ref: "owner-signing-key" as SecretRef });
  must(await createAuditLife({ ...world, log, signer: empty }).begin("0.1.0"));
  await settled();
  expect(warnings).toHaveLength(1);
});

test("a start that cannot be recorded fails; a broken chain is said, and gets no mark", async () => {
  const world = createAuditWorld();
  const fault = { code: "disk_full", retryable: true } as const;
  const full = { ...world, audit: { ...world.audit, append: async () => err(fault) } };
  expect(await createAuditLife(full).begin("0.1.0")).toEqual(err(fault));
  const broken = err({ code: "chain_broken", broken: { code: "entry_changed", seq: 3 } } as const);
  const life = createAuditLife({ ...world, audit: { ...world.audit, checkpoint: async () => broken } });
  must(await life.begin("0.1.0"));
  await settled();
  expect(world.errors).toEqual(["audit_chain_broken"]);
});
