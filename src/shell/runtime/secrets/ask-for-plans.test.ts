import { expect, test } from "vitest";
import { err, ok, type Instant } from "#base";
import type { KeptRequest, SecretRef } from "#model";
import type { ApprovalsDoor, SecretsDoor } from "#ports";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { withAskedSecrets } from "./ask-for-plans.ts";
import { createSecretsDoor } from "./secrets-door.ts";

const BY = { kind: "terminal" } as const;

/** Approvals of which only proposing is asked here, and of a request only its card. */
function approvalsOf(secretRefs: readonly string[] | null): ApprovalsDoor {
  const capabilities = secretRefs === null ? null : { secretRefs };
  const credentials = { API: { ref: "report.key", as: "header", host: "api.example.org" } };
  const projection = JSON.stringify({ steps: [], children: [null, { steps: [{ credentials }] }] });
  const kept = { requestId: "r", workItemId: "send-report", projection, card: { capabilities } };
  const request = kept as unknown as KeptRequest;
  const proposed = async () => ok({ request, isNew: true });
  return { propose: proposed, proposeAgain: proposed } as unknown as ApprovalsDoor;
}

async function open() {
  const vault = createMemoryVault();
  const clock = { now: () => "2026-11-15T08:00:00.000Z" as Instant };
  const { secureInputs: inputs } = openInMemory();
  const secrets = createSecretsDoor({ vault, inputs, clock, onChanged: () => {} });
  await vault.put("held" as SecretRef, Buffer.from("x"));
  const pending = async () => {
    const listed = await secrets.pending();
    return listed.ok ? listed.value : [];
  };
  return { secrets, pending };
}

test("a plan that uses secrets has each of them asked for once that the vault does not hold", async () => {
  const { secrets, pending } = await open();
  const named = ["held", "mail-token", "owner-signing-key", "../etc", "report.key"];
  const approvals = withAskedSecrets({ approvals: approvalsOf(named), secrets });
  expect(await approvals.propose("", BY)).toMatchObject({ ok: true, value: { isNew: true } });
  expect((await approvals.proposeAgain("r", BY)).ok).toBe(true);
  expect((await pending()).map(({ refId }) => refId)).toEqual(["mail-token", "report.key"]);
  expect((await pending())[0]?.guidance.instructions).toBe("The plan send-report uses it.");
  // For the host that was signed and shown, and for no other.
  expect((await pending()).map(({ host }) => host)).toEqual([null, "api.example.org:443"]);
});

test("a plan without secrets, and a card that has no capabilities, ask for nothing and open no vault", async () => {
  const { pending } = await open();
  const closed = { list: () => Promise.reject(new Error("not to be asked")) } as unknown as SecretsDoor;
  for (const refs of [[], null]) {
    const approvals = withAskedSecrets({ approvals: approvalsOf(refs), secrets: closed });
    expect((await approvals.propose("", BY)).ok).toBe(true);
  }
  expect(await pending()).toEqual([]);
});

test("what cannot be asked for because the disk is full is said, and asked for the next time", async () => {
  const { secrets, pending } = await open();
  const full: SecretsDoor = { ...secrets, ask: async () => err({ code: "disk_full", retryable: true }) };
  const propose = (door: SecretsDoor) =>
    withAskedSecrets({ approvals: approvalsOf(["mail-token"]), secrets: door }).propose("", BY);
  expect(await propose(full)).toEqual(err({ code: "disk_full", retryable: true }));
  expect((await propose(secrets)).ok).toBe(true);
  expect((await pending()).map(({ refId }) => refId)).toEqual(["mail-token"]);
});
