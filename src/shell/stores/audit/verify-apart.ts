import { err, LIMITS, type Result } from "#base";
import type { AuditVerdict, ChainCheckEnded, StoreFault } from "#model";
import type { ChainVerifier } from "#ports";
import { openAuditReader, type AuditPlace } from "./open-beside.ts";

/** What the thread is given. */
export type ChainTask = { readonly dataDir: string };
type Checked = Result<AuditVerdict, StoreFault>;

/** The work of the thread: the chain on a connection of its own, as it lies there beside whoever writes it. */
export async function verifyWholeChain(place: AuditPlace): Promise<Checked> {
  const opened = openAuditReader(place);
  if (!opened.ok) {
    const isGone = opened.error.code === "no_audit";
    return isGone ? err({ code: "store_failed", retryable: false, cause: opened.error }) : err(opened.error);
  }
  try {
    return await opened.value.verify("genesis");
  } finally {
    await opened.value.close();
  }
}

type Apart = ChainTask & {
  /** The file of the thread: it posts one `Checked` and ends. */
  readonly file: URL;
  readonly waitMs?: number;
};

/**
 * Runs `verifyWholeChain` in a thread that lives as long as that takes. Reading and hashing a million entries is seconds
 * of one core, and whoever is served by this thread would wait for it.
 */
export function createChainVerifier({ file, dataDir, waitMs = LIMITS.auditVerifyMs }: Apart): ChainVerifier {
  const threads = new Set<Thread>();
  let isClosed = false;
  return {
    async verify() {
      if (isClosed) return ended(new Error("Silas is stopping"));
      const thread = begin(file, { dataDir });
      if (!thread.ok) return thread;
      threads.add(thread.value);
      const late = setTimeout(() => void thread.value.terminate(), waitMs);
      const checked = await answerOf(thread.value);
      clearTimeout(late);
      await thread.value.terminate();
      threads.delete(thread.value);
      return checked;
    },
    async close() {
      isClosed = true;
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}

type Thread = InstanceType<typeof import("node:worker_threads").Worker>;

/** A machine that has no thread left says so here. */
function begin(file: URL, workerData: ChainTask): Result<Thread, ChainCheckEnded> {
  // Asked for here: most starts never verify a whole chain.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  try {
    const resourceLimits = { maxOldGenerationSizeMb: LIMITS.auditVerifyMb };
    return { ok: true, value: new Worker(file, { name: "audit chain", workerData, resourceLimits }) };
  } catch (cause) {
    return ended(cause);
  }
}

/** What it posts comes before its end; an end without it, by a fault or because it was ended, is no verdict. */
function answerOf(thread: Thread): Promise<Checked | Result<never, ChainCheckEnded>> {
  return new Promise((resolve) => {
    thread.once("message", (checked: Checked) => resolve(checked));
    thread.once("error", (cause) => resolve(ended(cause)));
    thread.once("exit", (code) => resolve(ended(new Error(`the thread ended with ${code}`))));
  });
}

const ended = (cause: unknown): Result<never, ChainCheckEnded> =>
  err({ code: "chain_check_ended", retryable: true, cause });
