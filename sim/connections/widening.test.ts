import { join } from "node:path";
import { expect, test } from "vitest";
import { assert } from "#base";
import type { KeptConnection } from "#ports";
import { createMemoryVault } from "#stores";
import { inWorld, type World } from "../disk-run.ts";
import { grantPlan, statusOf, until } from "../work-world.ts";
import {
  answer,
  askedIn,
  closeAll,
  CONNECTION,
  installedIn,
  NARROW,
  openConnecting,
  planFor,
  playHost,
  startAll,
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
      await startAll(connecting);
      await answer(connecting, { request: await askedIn(connecting), says: "approved" });
      parts.service.answer = "give";
      await until(async () => (await statusOf(connecting, runId)) === "done");
      lookEnds(isHealthy);
      // Ends when the look has.
      await connecting.connections.check(CONNECTION);
      const { record } = await keptIn(connecting);
      expect(record.permissionsGranted).toEqual(["notes.read", "notes.write"]);
      expect(parts.outside).toMatchObject({ access: WIDE, used: [`Bearer ${WIDE}`] });
      await closeAll(connecting);
    });
  },
);

test("[PERM-04] what failed between the question and the answer is not signed in for more, and stays failed", async () => {
  await inWorld(13, async (world) => {
    const parts = await partsIn(world);
    const connecting = await openConnecting(world, parts);
    await connecting.keep();
    const runId = await grantPlan(connecting, planFor("add"));
    await startAll(connecting);
    const request = await askedIn(connecting);
    const { record, ...rest } = await keptIn(connecting);
    const failed: KeptConnection = { ...rest, record: { ...record, status: "failed" } };
    await connecting.trust.stores.connections.keep(failed, null);
    await answer(connecting, { request, says: "approved" });
    await until(async () => (await statusOf(connecting, runId)) === "blocked");
    expect(await keptIn(connecting)).toEqual(failed);
    expect(parts.outside).toMatchObject({ signIns: 0, used: [] });
    await closeAll(connecting);
  });
});

test("[PERM-04] what was removed while it was asked about does not come back by the answer, and the run ends", async () => {
  await inWorld(14, async (world) => {
    const parts = await partsIn(world);
    const connecting = await openConnecting(world, parts);
    await connecting.keep();
    const runId = await grantPlan(connecting, planFor("add"));
    await startAll(connecting);
    const request = await askedIn(connecting);
    assert((await connecting.connections.remove(CONNECTION, { kind: "terminal" })).ok, "it is removed");
    await answer(connecting, { request, says: "approved" });
    await until(async () => (await statusOf(connecting, runId)) === "blocked");
    expect(await connecting.trust.stores.connections.list()).toMatchObject({ value: [] });
    expect(parts.outside).toMatchObject({ signIns: 0, used: [] });
    await closeAll(connecting);
  });
});
