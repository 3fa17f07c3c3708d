import { LIMITS, ok, uuidV7, type Result } from "#base";
import type { AuditDraft, StoreFault } from "#model";
import type { AuditLog, Clock, Log, Randomness, Timers } from "#ports";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { hash } = process.getBuiltinModule("node:crypto");

/** The machine's own SHA-256 of a text, as the rules of the chain take it. */
export const systemSha256 = (text: string): string => hash("sha256", text);

export type AuditLifeDeps = {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly log: Log;
};

export interface AuditLife {
  /** Records the start, and from then on marks the chain from time to time. A start that cannot be recorded fails. */
  begin(version: string): Promise<Result<void, StoreFault>>;
  /** Records the stop and marks the end of the chain. */
  end(): Promise<void>;
}

/** The life of one instance in the audit chain: its start, its stop, and checkpoints between them. */
export function createAuditLife(deps: AuditLifeDeps): AuditLife {
  const { audit, clock, timers, log } = deps;
  let cancel: (() => void) | null = null;
  const tick = () => {
    cancel = timers.after(LIMITS.auditCheckpointMs, () => void markHead(deps).finally(tick));
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
      await markHead(deps);
      tick();
      return ok();
    },
    async end() {
      cancel?.();
      const stopped: AuditDraft = { event: "instance_stopped", data: {}, at: clock.now(), actor: { kind: "system" } };
      const recorded = await audit.append(stopped);
      // The next start tells that this run has no end.
      if (!recorded.ok) log.error("audit_append_failed", recorded.error);
      await markHead(deps);
    },
  };
}

/** A broken chain is said loudly and not marked: the owner's journal stays usable, and the break stays visible. */
export async function markHead({ audit, clock, randomness, log }: Omit<AuditLifeDeps, "timers">): Promise<void> {
  const at = clock.now();
  const marked = await audit.checkpoint({ checkpointId: uuidV7(at, randomness.bytes(10)), at });
  if (marked.ok) return;
  if (marked.error.code !== "chain_broken") return log.error("audit_checkpoint_failed", marked.error);
  const { broken } = marked.error;
  log.error("audit_chain_broken", { code: broken.code, ...("seq" in broken ? { counter: broken.seq } : {}) });
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
