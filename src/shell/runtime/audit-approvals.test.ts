import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { assert, sha256Hex } from "#base";
import { parseYaml } from "#config";
import type { AuditQuery, KeptRequest } from "#model";
import { createAuditRules } from "#policy";
import type { OwnerAnswer } from "#ports";
import { createSeeded, createVirtualClock, NO_PASSKEYS, NO_SKILLS, NOTHING_FOLLOWS } from "#sim";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../test/stores-in-memory.ts";
import { systemEd25519 } from "./audit-life.ts";
import { createApprovalsDoor } from "./approvals/door.ts";
import { createKeysDoor } from "./keys/door.ts";
import { createSigner } from "./keys/signer.ts";
import { must } from "./must.fixture.ts";

const PLAN = readFileSync(new URL("../../../docs/examples/tidy-notes.md", import.meta.url), "utf8");
const BY = { kind: "terminal" } as const;
const ALL: AuditQuery = { beforeSeq: null, from: null, to: null, limit: 100 };
const TIMEOUT_MS = 300_000;

async function setUp() {
  const clock = createVirtualClock(1_794_729_600_000);
  const { audit, keys: registry, approvals: store } = openInMemory(createAuditRules(sha256Hex, systemEd25519), clock);
  const parts = { clock, randomness: createSeeded(1), vault: createMemoryVault(), registry };
  const signer = createSigner(parts);
  const key = must(await createKeysDoor({ ...parts, signer, audit }).prepare());
  assert(key !== null, "the first key is made");
  const door = createApprovalsDoor({
    ...parts,
    ...NOTHING_FOLLOWS,
    signer,
    store,
    audit,
    passkeys: NO_PASSKEYS,
    skills: NO_SKILLS,
    readYaml: parseYaml,
    runs: { executions: async () => ({ ok: true, value: [] }) },
    settings: {
      timeoutMs: TIMEOUT_MS,
      ttlMs: 600_000,
      maxExecutions: 1,
      standingUsesMax: 10,
      fatigueDecisions: 10,
      undoWindowSeconds: 300,
    },
  });
  const propose = async (name: string): Promise<KeptRequest> =>
    must(await door.propose(PLAN.replace("id: task-0190", `id: task-${name}`), BY)).request;
  /** What the chain says of one request, oldest first. */
  const told = async ({ requestId, workItemId }: KeptRequest) =>
    must(await audit.entries(ALL))
      .toReversed()
      .filter(({ event, data }) => event.startsWith("approval_") && data["request_id"] === requestId)
      .map(({ event, data }) => {
        expect(data).toMatchObject({ work_item_id: workItemId });
        return [event, data["reason"] ?? data["key_id"] ?? null];
      });
  return { clock, door, key, propose, told };
}

const answer = ({ requestId, planHash }: KeptRequest, change: Partial<OwnerAnswer> = {}): OwnerAnswer => ({
  requestId,
  verdict: "approved",
  shownHash: planHash,
  friction: ["tap", "confirm"],
  actor: BY,
  ...change,
});

test("[AUD-07] an approval is told with the key that signed it, and a second try to use it as refused", async () => {
  const { door, key, propose, told } = await setUp();
  const request = await propose("a");
  must(await door.decide(answer(request)));
  expect((await door.decide(answer(request))).ok).toBe(false);
  expect(await told(request)).toEqual([
    ["approval_requested", null],
    ["approval_granted", key.keyId],
    ["approval_refused", "already_decided"],
  ]);
});

test("[AUD-07] a decline, an approval that did not hold and its reason are told", async () => {
  const { door, propose, told } = await setUp();
  const request = await propose("a");
  expect((await door.decide(answer(request, { friction: [] }))).ok).toBe(false);
  expect((await door.decide(answer(request, { shownHash: sha256Hex("another plan") }))).ok).toBe(false);
  must(await door.decide(answer(request, { verdict: "declined" })));
  expect(await told(request)).toEqual([
    ["approval_requested", null],
    ["approval_refused", "decision_friction_missing"],
    ["approval_refused", "decision_shown_differs"],
    ["approval_declined", null],
  ]);
});

test("[AUD-07] what nobody decided in time is told as that, never as a decline", async () => {
  const { clock, door, propose, told } = await setUp();
  const request = await propose("a");
  must(await door.show(request.requestId));
  clock.moveMs(TIMEOUT_MS);
  expect((await door.decide(answer(request))).ok).toBe(false);
  expect(await told(request)).toEqual([
    ["approval_requested", null],
    ["approval_expired", null],
    ["approval_refused", "already_decided"],
  ]);
});
