import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Result } from "#base";
import type { AuditDraft, AuditHeadStatement } from "#model";
import { auditFileStart, createAuditRules, endAuditFile, readAuditLine } from "#policy";
import type { AuditLog, KeyRegistry, Signer } from "#ports";
import { createKeysDoor, createSigner, systemEd25519, systemRandomness, systemSha256 } from "#runtime";
import { openMigratedRuntime } from "#sim";
import { createMemoryVault } from "#stores";
import { openInMemory } from "../stores-in-memory.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const rules = createAuditRules(systemSha256, systemEd25519);
const BY = { kind: "terminal" } as const;

function mustFail<T, E>(result: Result<T, E>): E {
  if (result.ok) throw new Error("expected an error");
  return result.error;
}

type Chain = { readonly log: AuditLog; readonly registry: KeyRegistry };

async function openMemory(): Promise<Chain> {
  const { audit: log, keys: registry } = openInMemory(rules);
  return { log, registry };
}

async function openFile(): Promise<Chain> {
  const dataDir = join(tempDir(), "data");
  const opened = must(
    await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules: rules }),
  );
  onTestFinished(() => opened.close());
  return { log: opened.audit, registry: opened.keys };
}

/** A chain, and a signer with one enrolled key whose vault can be locked. */
async function withKey({ log, registry }: Chain) {
  const lock: Parameters<typeof createMemoryVault>[0] = { fault: null };
  const deps = { vault: createMemoryVault(lock), registry, clock: fixedClock };
  const signer: Signer = createSigner(deps);
  const door = createKeysDoor({ ...deps, signer, randomness: systemRandomness, audit: log });
  const key = must(await door.prepare());
  if (key === null) throw new Error("expected a first key");
  return { log, registry, signer, key, lock };
}

const stopped = (minutes: number): AuditDraft => ({
  event: "instance_stopped",
  data: {},
  at: at(minutes),
  actor: { kind: "system" },
});

async function mark(log: AuditLog, signing: { readonly signer: Signer | null; readonly minutes: number }) {
  const { signer, minutes } = signing;
  must(await log.append(stopped(minutes)));
  const key = signer === null ? null : must(await signer.headKey());
  try {
    return await log.checkpoint({ checkpointId: `checkpoint-${minutes}`, at: at(minutes), key });
  } finally {
    key?.forget();
  }
}

async function linesOf(log: AuditLog): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of log.exportLines()) lines.push(line);
  return lines;
}

function checkLines(lines: readonly string[]) {
  let state = auditFileStart;
  for (const text of lines) {
    const read = readAuditLine(state, { text, hash: systemSha256, check: systemEd25519 });
    if (!read.ok) return read;
    state = read.value;
  }
  const end = endAuditFile(state);
  return end.ok ? { ok: true as const, value: state } : end;
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("signed heads (%s)", (_name, open) => {
  test("[AUD-03] a checkpoint is signed by the key its entry names, and nothing is recorded behind it for that", async () => {
    const { log, signer, key } = await withKey(await open());
    const checkpoint = must(await mark(log, { signer, minutes: 10 }));
    expect(must(await log.head())).toEqual({ seq: checkpoint.seq, hash: checkpoint.hash });
    const [entry] = must(await log.entries({ beforeSeq: null, from: null, to: null, limit: 1 }));
    expect(entry?.data).toEqual({ checkpoint_id: "checkpoint-10", key_id: key.keyId });
    const { seq, hash, checkpointId } = checkpoint;
    const head: AuditHeadStatement = { seq, hash, checkpointId, at: at(10), keyId: key.keyId };
    const signature = checkpoint.signature ?? "";
    expect(rules.judgeHead({ ...head, signature }, [key])).toBeNull();
    for (const other of [
      { ...head, seq: head.seq + 1 },
      { ...head, hash: systemSha256("another") },
      { ...head, checkpointId: "checkpoint-11" },
      { ...head, at: at(11) },
    ]) {
      expect(rules.judgeHead({ ...other, signature }, [key])).toMatchObject({ code: "head_signature_invalid" });
    }
    for (const from of ["genesis", "latest"] as const) {
      expect(must(await log.verify(from))).toMatchObject({
        valid: true,
        headsChecked: 1,
        headsSigned: 1,
        lastSignedAt: at(10),
      });
    }
  });

  test("[AUD-03] a locked vault leaves heads unsigned, and verifying says how many and since when", async () => {
    const { log, signer, lock } = await withKey(await open());
    must(await mark(log, { signer, minutes: 10 }));
    lock.fault = { code: "vault_locked", retryable: false, missing: "passphrase" };
    expect(mustFail(await signer.headKey()).code).toBe("vault_locked");
    must(await mark(log, { signer: null, minutes: 20 }));
    must(await mark(log, { signer: null, minutes: 30 }));
    const found = { valid: true, lastSignedAt: at(10) };
    expect(must(await log.verify("genesis"))).toMatchObject({ ...found, headsChecked: 3, headsSigned: 1 });
    expect(must(await log.verify("latest"))).toMatchObject({ ...found, headsChecked: 1, headsSigned: 0 });
  });

  test("[AUD-04] once a key is enrolled, no head goes unsigned before the first that is signed", async () => {
    const chain = await open();
    // Before there is any key nothing is amiss.
    must(await mark(chain.log, { signer: null, minutes: 0 }));
    const { log, signer } = await withKey(chain);
    expect(mustFail(await mark(log, { signer: null, minutes: 10 }))).toEqual({ code: "head_key_needed" });
    expect(must(await log.verify("genesis"))).toMatchObject({ valid: true, headsSigned: 0, lastSignedAt: null });
    must(await mark(log, { signer, minutes: 20 }));
    must(await mark(log, { signer: null, minutes: 30 }));
  });

  test("[AUD-03] a head stays good when its key is revoked later; one signed after that is nobody's", async () => {
    const { log, registry, signer, key } = await withKey(await open());
    must(await mark(log, { signer, minutes: 10 }));
    const late = must(await signer.headKey());
    must(await registry.revoke({ keyId: key.keyId, at: at(15), actor: BY, lastKey: "revoke" }));
    expect(must(await log.verify("genesis"))).toMatchObject({ valid: true, headsSigned: 1 });
    expect(mustFail(await signer.headKey()).code).toBe("key_revoked");
    const { seq } = must(await log.checkpoint({ checkpointId: "checkpoint-20", at: at(20), key: late }));
    expect(must(await log.verify("genesis"))).toMatchObject({
      valid: false,
      broken: { code: "head_key_unknown", seq, keyId: key.keyId },
    });
  });

  test("[AUD-02] an export carries signed heads and public keys, and any changed byte of it shows", async () => {
    const { log, signer } = await withKey(await open());
    must(await mark(log, { signer, minutes: 10 }));
    must(await mark(log, { signer: null, minutes: 20 }));
    const lines = await linesOf(log);
    expect(checkLines(lines)).toMatchObject({
      ok: true,
      value: { headsChecked: 2, headsSigned: 1, lastSignedAt: at(10) },
    });
    const text = Buffer.from(lines.join("\n"));
    for (let index = 0; index < text.length; index += 1) {
      const changed = Buffer.from(text);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(checkLines(changed.toString("utf8").split("\n")).ok, `byte ${index}`).toBe(false);
    }
  });

  test("[AUD-02] an export without a signature, with one more, or with another's key is not taken", async () => {
    const { log, signer } = await withKey(await open());
    must(await mark(log, { signer, minutes: 10 }));
    const lines = await linesOf(log);
    const place = lines.findIndex((line) => line.startsWith('{"head":'));
    const codeOf = (changed: readonly string[]) => {
      const checked = checkLines(changed);
      return checked.ok ? null : checked.error.code;
    };
    expect(codeOf(lines.toSpliced(place, 1))).toBe("head_signature_missing");
    expect(codeOf(lines.toSpliced(place, 0, lines[place] ?? ""))).toBe("file_unreadable");
    expect(codeOf(lines.toSpliced(1, 1))).toBe("head_key_unknown");
    const foreign = await linesOf((await withKey(await open())).log);
    expect(codeOf(lines.toSpliced(1, 1, foreign[1] ?? ""))).toBe("head_key_unknown");
    // A key put in behind the first entry would vouch for what came before it.
    expect(codeOf([lines[0] ?? "", ...lines.slice(2, 4), lines[1] ?? "", ...lines.slice(4)])).toBe("file_unreadable");
  });
});
