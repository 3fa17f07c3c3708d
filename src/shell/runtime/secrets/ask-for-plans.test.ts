import { expect, test } from "vitest";
import { err, type Instant } from "#base";
import type { KeptRequest, SecretRef } from "#model";
import type { SecretsDoor } from "#ports";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { askForSecrets } from "./ask-for-plans.ts";
import { createSecretsDoor } from "./secrets-door.ts";

const BY = { kind: "terminal" } as const;

/** A request of which only what is asked here is there. */
function planUsing(secretRefs: readonly string[] | null): KeptRequest {
  const capabilities = secretRefs === null ? null : { secretRefs };
  const credentials = { API: { ref: "report.key", as: "header", host: "api.example.org" } };
  const projection = JSON.stringify({ steps: [], children: [null, { steps: [{ credentials }] }] });
  const kept = { requestId: "r", workItemId: "send-report", projection, card: { capabilities } };
  return kept as unknown as KeptRequest;
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
  for (const _ of ["proposed", "proposed again"])
    expect((await askForSecrets(secrets, { request: planUsing(named), actor: BY })).ok).toBe(true);
  expect((await pending()).map(({ refId }) => refId)).toEqual(["mail-token", "report.key"]);
  expect((await pending())[0]?.guidance.instructions).toBe("The plan send-report uses it.");
  // For the host that was signed and shown, and for no other.
  expect((await pending()).map(({ host }) => host)).toEqual([null, "api.example.org:443"]);
});

test("a plan without secrets, and a card that has no capabilities, ask for nothing and open no vault", async () => {
  const { pending } = await open();
  const closed = { list: () => Promise.reject(new Error("not to be asked")) } as unknown as SecretsDoor;
  for (const refs of [[], null]) {
    expect((await askForSecrets(closed, { request: planUsing(refs), actor: BY })).ok).toBe(true);
  }
  expect(await pending()).toEqual([]);
});

test("what cannot be asked for because the disk is full is said, and asked for the next time", async () => {
  const { secrets, pending } = await open();
  const full: SecretsDoor = { ...secrets, ask: async () => err({ code: "disk_full", retryable: true }) };
  const ask = (door: SecretsDoor) => askForSecrets(door, { request: planUsing(["mail-token"]), actor: BY });
  expect(await ask(full)).toEqual(err({ code: "disk_full", retryable: true }));
  expect((await ask(secrets)).ok).toBe(true);
  expect((await pending()).map(({ refId }) => refId)).toEqual(["mail-token"]);
});
