import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxLine, SandboxRun, SandboxRefusal } from "#model";
import { err, type Result } from "#base";
import { hasSandboxed } from "./process-tree.ts";

type Capture = {
  take(chunk: Uint8Array): void;
  end(): SandboxRun["stdout"];
};

type CaptureOptions = {
  readonly bytesMax: number;
  /** Called once, when far more is printed than is kept. */
  readonly onFlood: () => void;
  readonly onText: ((text: string) => void) | null;
};

/** A program may print this much beyond what is kept before it is ended: reading it costs time. */
const FLOOD_BYTES = 64 * 1024 * 1024;
const LINE_BYTES_MAX = 8 * 1024;

/** Keeps the first bytes. Which ones does not depend on how they arrive. */
export function createCapture({ bytesMax, onFlood, onText }: CaptureOptions): Capture {
  const kept: Uint8Array[] = [];
  const lines = onText === null ? null : createLines(onText);
  let keptBytes = 0;
  let seenBytes = 0;
  return {
    take(chunk) {
      const isFlood = seenBytes <= bytesMax + FLOOD_BYTES && seenBytes + chunk.length > bytesMax + FLOOD_BYTES;
      seenBytes += chunk.length;
      if (isFlood) onFlood();
      const part = chunk.subarray(0, bytesMax - keptBytes);
      if (part.length === 0) return;
      keptBytes += part.length;
      kept.push(part);
      lines?.take(part);
    },
    end() {
      lines?.end();
      return { bytes: Buffer.concat(kept), isTruncated: seenBytes > keptBytes };
    },
  };
}

export function lineTeller(
  onLine: ((line: SandboxLine) => void) | undefined,
  stream: SandboxLine["stream"],
): ((text: string) => void) | null {
  return onLine === undefined ? null : (text) => onLine({ stream, text });
}

/** Cuts bytes into lines; a line without an end is told in pieces. */
function createLines(tell: (text: string) => void) {
  const decoder = new TextDecoder();
  let open = Buffer.alloc(0);
  const takeUntil = (end: number, next: number): void => {
    tell(decoder.decode(open.subarray(0, end)));
    open = open.subarray(next);
  };
  return {
    take(part: Uint8Array): void {
      open = Buffer.concat([open, part]);
      for (let end = open.indexOf(10); end !== -1; end = open.indexOf(10)) takeUntil(end, end + 1);
      while (open.length > LINE_BYTES_MAX) takeUntil(LINE_BYTES_MAX, LINE_BYTES_MAX);
    },
    end(): void {
      if (open.length > 0) takeUntil(open.length, open.length);
    },
  };
}

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
