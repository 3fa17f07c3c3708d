import { expect, test } from "vitest";
import { err, LIMITS } from "#base";
import { createAuditLife } from "./audit-life.ts";
import { createAuditWorld, must, recorded } from "./audit.fixture.ts";

const eventsOf = async (world: ReturnType<typeof createAuditWorld>) =>
  (await recorded(world.audit)).map(([event]) => event);

test("a run is recorded from start to stop, and its ends are marked", async () => {
  const world = createAuditWorld();
  const life = createAuditLife(world);
  must(await life.begin("0.1.0"));
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
  must(await createAuditLife(world).begin("0.1.0"));
  const starts = (await recorded(world.audit)).filter(([event]) => event === "instance_started");
  expect(starts.map(([, data]) => data)).toEqual([
    { version: "0.1.0", ended_cleanly: true },
    { version: "0.1.0", ended_cleanly: false },
  ]);
});

test("what is new is marked after a while, and nothing new needs no mark", async () => {
  const world = createAuditWorld();
  must(await createAuditLife(world).begin("0.1.0"));
  await world.move(LIMITS.auditCheckpointMs);
  expect(await eventsOf(world)).toEqual(["instance_started", "audit_checkpoint"]);
  must(
    await world.audit.append({ event: "instance_stopped", data: {}, at: world.clock.now(), actor: { kind: "system" } }),
  );
  await world.move(LIMITS.auditCheckpointMs);
  expect((await eventsOf(world)).at(-1)).toBe("audit_checkpoint");
});

test("a start that cannot be recorded fails; a broken chain is said, and gets no mark", async () => {
  const world = createAuditWorld();
  const fault = { code: "disk_full", retryable: true } as const;
  const full = { ...world, audit: { ...world.audit, append: async () => err(fault) } };
  expect(await createAuditLife(full).begin("0.1.0")).toEqual(err(fault));
  const broken = err({ code: "chain_broken", broken: { code: "entry_changed", seq: 3 } } as const);
  const life = createAuditLife({ ...world, audit: { ...world.audit, checkpoint: async () => broken } });
  must(await life.begin("0.1.0"));
  expect(world.errors).toEqual(["audit_chain_broken"]);
});
