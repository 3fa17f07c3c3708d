import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { assert, msOfInstant, type Instant } from "#base";
import { createTimerLoop } from "#engine";
import type { KeptConnection } from "#ports";
import { createMemoryVault } from "#stores";
import { RUNTIME_FILE } from "../approval-world.ts";
import { inWorld, type World } from "../disk-run.ts";
import { createVirtualTimers } from "../seeded.ts";
import { closeWork, grantPlan, statusOf, until } from "../work-world.ts";
import {
  answer,
  askedIn,
  CONNECTION,
  installedIn,
  NARROW,
  openConnecting,
  planFor,
  playHost,
  vaultWith,
  WIDE,
  type Connecting,
  type ConnectingParts,
  type Outside,
} from "./widening.fixture.ts";

async function partsIn(world: World): Promise<ConnectingParts & { readonly outside: Outside }> {
  const outside: Outside = { used: [], signIns: 0, access: NARROW };
  const vault = vaultWith(createMemoryVault(), outside);
  const service = playHost(join(world.root, "spaces"), outside);
  return { dataDir: join(world.root, "data"), vault, service, skills: await installedIn(world), outside };
}

async function keptIn({ trust }: Connecting): Promise<KeptConnection> {
  const found = await trust.stores.connections.find(CONNECTION);
  assert(found.ok && found.value !== null, "the connection is there");
  return found.value;
}

test.each([true, false])(
  "[PERM-04] a look that began before somebody signed in for more and ended after it takes nothing of that back (healthy: %s)",
  async (isHealthy) => {
    await inWorld(12, async (world) => {
      const parts = await partsIn(world);
      const { promise: looks, resolve: lookEnds } = Promise.withResolvers<boolean>();
      parts.service.looks = looks;
      const connecting = await openConnecting(world, parts);
      await connecting.keep();
      const runId = await grantPlan(connecting, planFor("add"));
      await connecting.work.start();
      await answer(connecting, { request: await askedIn(connecting), says: "approved" });
      parts.service.answer = "give";
      await until(async () => (await statusOf(connecting, runId)) === "done");
      lookEnds(isHealthy);
      // Ends when the look has.
      await connecting.connections.check(CONNECTION);
      const { record } = await keptIn(connecting);
      expect(record.permissionsGranted).toEqual(["notes.read", "notes.write"]);
      expect(parts.outside).toMatchObject({ access: WIDE, used: [`Bearer ${WIDE}`] });
      await closeWork(connecting);
    });
  },
);

test.each([
  ["1234567", "blocked", NARROW],
  ["12345678", "done", "12345678"],
])("a secret of less than eight characters opens nothing, and one of eight does (%s)", async (token, ended, access) => {
  await inWorld(15, async (world) => {
    const parts = await partsIn(world);
    const connecting = await openConnecting(world, parts);
    await connecting.keep();
    const runId = await grantPlan(connecting, planFor("add"));
    await connecting.work.start();
    await answer(connecting, { request: await askedIn(connecting), says: "approved" });
    parts.service.token = token;
    parts.service.answer = "give";
    await until(async () => ["blocked", "done"].includes(await statusOf(connecting, runId)));
    expect([await statusOf(connecting, runId), parts.outside.access]).toEqual([ended, access]);
    await closeWork(connecting);
  });
});

test("a connection is looked at in the moment in which that is due, and not before", async () => {
  await inWorld(16, async (world) => {
    const timers = createVirtualTimers(world.clock);
    const connecting = await openConnecting(world, await partsIn(world));
    const { timers: table, queue } = connecting.trust.stores;
    await connecting.keep();
    await connecting.connections.start(() => {});
    const loop = createTimerLoop({
      table,
      queue,
      owners: { connection: connecting.connections.timed },
      clock: world.clock,
      timers,
      log: { info: () => {}, warn: () => {}, error: (event) => expect(event).toBeNull() },
      bus: { leaseSeconds: 60, heartbeatSeconds: 20, deliveriesMax: 5 },
      isStopped: async () => false,
      zoneNow: () => "UTC",
    });
    await loop.start();
    await loop.idle();
    const begunMs = msOfInstant(world.clock.now());
    const dueMs = (Math.floor(begunMs / HOUR_MS) + 1) * HOUR_MS;
    const lookedMs = async () => msOfInstant((await keptIn(connecting)).record.lastHealthCheck ?? epoch);
    let wakes = 0;
    // It wakes once a minute, and looks at nothing then.
    for (; timers.next(dueMs - 1); wakes += 1) {
      await loop.idle();
      expect(await lookedMs()).toBe(begunMs);
    }
    expect(wakes).toBeGreaterThan(1);
    expect(timers.next(dueMs)).toBe(true);
    await loop.idle();
    expect(await lookedMs()).toBe(dueMs);
    await loop.close();
    await connecting.connections.close();
    await closeWork(connecting);
  });
});

const HOUR_MS = 3_600_000;
const epoch = "1970-01-01T00:00:00.000Z" as Instant;

test("[PERM-04] what failed between the question and the answer is not signed in for more, and stays failed", async () => {
  await inWorld(13, async (world) => {
    const parts = await partsIn(world);
    const connecting = await openConnecting(world, parts);
    await connecting.keep();
    const runId = await grantPlan(connecting, planFor("add"));
    await connecting.work.start();
    const request = await askedIn(connecting);
    const { record, ...rest } = await keptIn(connecting);
    const failed: KeptConnection = { ...rest, record: { ...record, status: "failed" } };
    await connecting.trust.stores.connections.keep(failed, null);
    await answer(connecting, { request, says: "approved" });
    await until(async () => (await statusOf(connecting, runId)) === "blocked");
    expect(await keptIn(connecting)).toEqual(failed);
    expect(parts.outside).toMatchObject({ signIns: 0, used: [] });
    await closeWork(connecting);
  });
});

test("[PERM-04] what was removed while it was asked about does not come back by the answer, and the run ends", async () => {
  await inWorld(14, async (world) => {
    const parts = await partsIn(world);
    const connecting = await openConnecting(world, parts);
    await connecting.keep();
    const runId = await grantPlan(connecting, planFor("add"));
    await connecting.work.start();
    const request = await askedIn(connecting);
    assert((await connecting.connections.remove(CONNECTION, { kind: "terminal" })).ok, "it is removed");
    await answer(connecting, { request, says: "approved" });
    await until(async () => (await statusOf(connecting, runId)) === "blocked");
    expect(await connecting.trust.stores.connections.list()).toMatchObject({ value: [] });
    expect(parts.outside).toMatchObject({ signIns: 0, used: [] });
    await closeWork(connecting);
  });
});

test("[PERM-04] more that is approved while another sign-in of the connection goes on begins when that one is over", async () => {
  await inWorld(17, async (world) => {
    const parts = await partsIn(world);
    const connecting = await openConnecting(world, parts);
    await connecting.keep();
    const plans = [planFor("add"), planFor("add").replace("id: task-add", "id: task-more")];
    const runs: string[] = [];
    for (const plan of plans) runs.push(await grantPlan(connecting, plan));
    await connecting.work.start();
    const asked = async () => {
      const inbox = await connecting.trust.approvals.inbox();
      return inbox.ok ? inbox.value.filter(({ kind }) => kind === "permission_escalation") : [];
    };
    await until(async () => (await asked()).length === 2);
    for (const request of await asked()) await answer(connecting, { request, says: "approved" });
    const file = new DatabaseSync(join(parts.dataDir, RUNTIME_FILE));
    expect(
      file.prepare("SELECT message ->> '$.payload.kind' AS kind FROM queue WHERE order_key LIKE '%decided:%'").all(),
    ).toMatchObject([{ kind: "permission_escalation" }]);
    file.close();
    parts.service.answer = "give";
    await until(async () =>
      (await Promise.all(runs.map((run) => statusOf(connecting, run)))).every((is) => is === "done"),
    );
    expect(parts.outside.signIns).toBe(2);
    await closeWork(connecting);
  });
});
