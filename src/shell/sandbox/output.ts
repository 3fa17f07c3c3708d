import type { SandboxLine, SandboxRun } from "#model";

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
