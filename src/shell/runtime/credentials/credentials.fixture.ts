import { err, type Instant } from "#base";
import type { AuditDraft, Credential, SecretRef, Step } from "#model";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { must } from "../must.fixture.ts";
import { createSecretsDoor } from "../secrets/secrets-door.ts";
import { createRunCredentials } from "./run-credentials.ts";

const BY = { kind: "terminal" } as const;
export const AT = "2026-11-18T08:00:00.000Z" as Instant;
const clock = { now: () => AT };
export const API = "api-canary-0001";
export const MAIL = "mail-canary-0002";

/** A vault of which every copy that was given out can be looked at afterwards. */
export function openCredentials() {
  const { audit, secureInputs: inputs } = openInMemory();
  const vault = createMemoryVault();
  const secrets = createSecretsDoor({ vault, inputs, clock, onChanged: () => {} });
  const given: { readonly ref: string; readonly bytes: Uint8Array }[] = [];
  const drafts: AuditDraft[] = [];
  const fails = { audit: false };
  const credentials = createRunCredentials({
    vault: {
      async get(ref) {
        const got = await vault.get(ref);
        if (got.ok) given.push({ ref, bytes: got.value });
        return got;
      },
    },
    inputs,
    audit: {
      async append(draft) {
        drafts.push(draft);
        return fails.audit ? err({ code: "disk_full", retryable: false }) : audit.append(draft);
      },
    },
    clock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const save = async (ref: string, value: string, host: string | null = null) => {
    const refId = ref as SecretRef;
    must(
      await secrets.ask(
        { refId, label: ref, inputHint: null, guidance: { instructions: "", helpUrl: null }, host },
        BY,
      ),
    );
    must(await secrets.store({ refId, secret: Buffer.from(value), actor: BY }));
  };
  const ask = (ref: string) =>
    secrets.ask(
      {
        refId: ref as SecretRef,
        label: ref,
        inputHint: null,
        guidance: { instructions: "", helpUrl: null },
        host: null,
      },
      BY,
    );
  return { credentials, vault, save, ask, given, drafts, fails };
}

export const header = (ref: string, host: string, name = "authorization"): Credential => ({
  ref,
  as: "header",
  host,
  header: name,
});
export const pipe = (ref: string): Credential => ({ ref, as: "pipe", host: null, header: "authorization" });
const stepsWith = (...credentials: readonly Readonly<Record<string, Credential>>[]) =>
  credentials.map((one) => ({ credentials: one }) as Step);
export const workWith = (...credentials: readonly Readonly<Record<string, Credential>>[]) => ({
  runId: "run-1",
  id: "task-1",
  steps: stepsWith(...credentials),
});
export const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);
