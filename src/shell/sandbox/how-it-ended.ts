import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { err, type Result } from "#base";
import type { SandboxRefusal, SandboxRun } from "#model";
import { hasSandboxed } from "./process-tree.ts";

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** Backends tell a signal as a code above 128, and so did the program if it used such a code itself. */
export function endOfCode(code: number): SandboxRun["end"] {
  const signal = code > 128 ? SIGNALS.get(code - 128) : undefined;
  if (signal === "SIGXCPU") return { kind: "limit", which: "cpu" };
  if (signal === "SIGXFSZ") return { kind: "limit", which: "files" };
  return signal === undefined ? { kind: "exit", code } : { kind: "signal", signal };
}

export const notStarted = (detail: string): Result<never, SandboxRefusal> =>
  err({ code: "sandbox_not_started", detail: detail.trim().slice(0, 500) || "the sandbox said nothing" });

const GONE_POLL_MS = 1;
const GONE_POLLS_MAX = 10_000;

/**
 * A backend may answer as soon as the program has ended; what the program left behind is ended a moment later, and only
 * then is the run over. The first process itself may still be taking its mounts down; it runs nothing of the program's.
 */
export async function untilGone(first: number | null): Promise<void> {
  if (first === null) return;
  for (let polls = 0; polls < GONE_POLLS_MAX && hasSandboxed(first); polls += 1) await delay(GONE_POLL_MS);
}
