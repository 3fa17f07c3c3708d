import { LIMITS, ok, uuidV7, type Result } from "#base";
import type { Job } from "#engine";
import type { AuditDraft, StoreFault } from "#model";
import type { CheckSignature } from "#policy";
import { createMutex, type AuditLog, type Clock, type Log, type Randomness, type Signer } from "#ports";
import { verifyWith } from "./keys/ed25519.ts";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { hash } = process.getBuiltinModule("node:crypto");

/** The machine's own SHA-256 of a text, as the rules of the chain take it. */
export const systemSha256 = (text: string): string => hash("sha256", text);

/** The machine's own Ed25519 over a text, as the rules of the chain take it. */
export const systemEd25519: CheckSignature = ({ publicKey, text, signature }) =>
  verifyWith(publicKey, { bytes: Buffer.from(text), signature }).ok;

type AuditLifeDeps = {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Signs the heads; null for whoever has no vault at hand. */
  readonly signer: Pick<Signer, "headKey"> | null;
};

export interface AuditLife {
  /** Records the start and marks the head of the chain. A start that cannot be recorded fails. */
  begin(version: string): Promise<Result<void, StoreFault>>;
  /** Marks the head of the chain now, behind a mark that is being made, as for a key that was just made. */
  mark(): Promise<void>;
  /** Marks entries that came since the last mark. */
  readonly job: Job;
  /** Records the stop and marks the end of the chain. */
  end(): Promise<void>;
}

/** The life of one instance in the audit chain: its start, its stop, and checkpoints between them. */
export function createAuditLife(deps: AuditLifeDeps): AuditLife {
  const { audit, clock, log } = deps;
  let marked: number | null = null;
  const inTurn = createMutex();
  const mark = () =>
    inTurn(async () => {
      marked = (await markHead(deps)) ?? marked;
    });
  const markWhatIsNew = async () => {
    const head = await audit.head();
    // The vault is not opened for a head that stands already.
    if (!head.ok || head.value.seq !== marked) await mark();
  };
  return {
    async begin(version) {
      const endedCleanly = await hasEndedCleanly(audit);
      if (!endedCleanly.ok) return endedCleanly;
      const started = await audit.append({
        event: "instance_started",
        data: { version, ended_cleanly: endedCleanly.value },
        at: clock.now(),
        actor: { kind: "system" },
      });
      if (!started.ok && started.error.code !== "invalid_input") return { ok: false, error: started.error };
      // Not waited for: opening a vault takes its time, or a person who unlocks it, and nobody is kept out meanwhile.
      void mark();
      return ok();
    },
    mark,
    job: { everyMinutes: LIMITS.auditCheckpointMinutes, run: markWhatIsNew },
    async end() {
      const stopped: AuditDraft = { event: "instance_stopped", data: {}, at: clock.now(), actor: { kind: "system" } };
      const recorded = await audit.append(stopped);
      // The next start tells that this run has no end.
      if (!recorded.ok) log.error("audit_append_failed", recorded.error);
      await mark();
    },
  };
}

/**
 * Marks the head and answers where it is. A broken chain is said loudly and not marked: the owner's journal stays
 * usable, and the break stays visible. Without a key at hand the head goes unsigned, and whoever verifies says so.
 */
export async function markHead({ audit, clock, randomness, log, signer }: AuditLifeDeps): Promise<number | null> {
  const at = clock.now();
  const key = (await signer?.headKey()) ?? null;
  // Before the first key is made there is nothing amiss.
  if (key !== null && !key.ok && key.error.code !== "secret_missing") log.warn("audit_head_unsigned", key.error);
  const loaded = key?.ok ? key.value : null;
  const marked = await audit.checkpoint({ checkpointId: uuidV7(at, randomness.bytes(10)), at, key: loaded });
  loaded?.forget();
  if (marked.ok) return marked.value.seq;
  sayUnmarked(log, marked.error);
  return null;
}

function sayUnmarked(log: Log, problem: Extract<Awaited<ReturnType<AuditLog["checkpoint"]>>, { ok: false }>["error"]) {
  if (problem.code === "head_key_needed") return log.warn("audit_head_key_needed");
  if (problem.code !== "chain_broken") return log.error("audit_checkpoint_failed", problem);
  const { broken } = problem;
  return log.error("audit_chain_broken", { code: broken.code, ...("seq" in broken ? { counter: broken.seq } : {}) });
}

const PAGE = 100;
const PAGES_MAX = 20;

/** Whether the run before this one recorded its stop. Where nothing says otherwise, it did. */
async function hasEndedCleanly(audit: AuditLog): Promise<Result<boolean, StoreFault>> {
  let beforeSeq: number | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found: Awaited<ReturnType<AuditLog["entries"]>> = await audit.entries({
      beforeSeq,
      from: null,
      to: null,
      limit: PAGE,
    });
    if (!found.ok) return found;
    const last = found.value.find(({ event }) => event === "instance_started" || event === "instance_stopped");
    if (last !== undefined) return ok(last.event === "instance_stopped");
    beforeSeq = found.value.at(-1)?.seq ?? null;
    if (beforeSeq === null) return ok(true);
  }
  return ok(true);
}
