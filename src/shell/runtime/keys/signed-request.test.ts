import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { KeptRequest } from "#model";
import { answerTo, BY, inWorld, openTrust, PLAN } from "#sim";
import { createMemoryVault } from "#stores";
import { must } from "../must.fixture.ts";
import { holdsApproval } from "./signed-request.ts";

test("[INV-06] an approval holds for the request that was signed, and for no other that names its token", () =>
  inWorld(61, async (world) => {
    const trust = await openTrust(world, { dataDir: `${world.root}/data`, vault: createMemoryVault() });
    const proposed = must(await trust.approvals.propose(PLAN, BY)).request;
    const signed = must(await trust.approvals.decide(answerTo(proposed, "approved")));
    const deps = { approvals: trust.stores.approvals, registry: trust.stores.keys };
    const holds = async (change: Partial<KeptRequest> = {}, subjectId = signed.workItemId) =>
      must(await holdsApproval(deps, { request: { ...signed, ...change }, subjectId }));
    expect(await holds()).toBe(true);
    const projection = signed.projection.replace("}", " }");
    expect(sha256Hex(projection)).not.toBe(signed.planHash);
    expect(await holds({ projection })).toBe(false);
    expect(await holds({ kind: "skill_install" })).toBe(false);
    expect(await holds({}, "another-task")).toBe(false);
    expect(await holds({ state: "pending" })).toBe(false);
    expect(await holds({ tokenId: null })).toBe(false);
    expect(await holds({ tokenId: "no-token" })).toBe(false);
    trust.stores.close();
  }));
