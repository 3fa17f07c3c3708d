import type { Duplex } from "node:stream";
import type { SandboxConfig, SandboxRun } from "#model";
import type { SandboxCommand, Timers } from "#ports";
import { createCapture, lineTeller } from "../output.ts";
import { createDemultiplexer } from "./demultiplex.ts";

type Hearing = {
  readonly pipe: Duplex;
  /** What the starter says on standard error when the program is about to begin. */
  readonly word: string;
  readonly limits: SandboxConfig["limits"];
  readonly onLine: SandboxCommand["onLine"];
  readonly onBegun: () => void;
  readonly onFlood: () => void;
};

export type Heard = {
  /** Everything is closed that could print. */
  readonly over: Promise<void>;
  /** Once the last of the output is here, or will not come. */
  closed(timers: Timers): Promise<void>;
  end(): Pick<SandboxRun, "stdout" | "stderr"> & { /** Said before the program began. */ readonly before: string };
};

const BEFORE_BYTES_MAX = 16 * 1024;
/** What was printed last comes through three processes of the engine, on a busy machine after a while. */
const LAST_WAIT_MS = 60_000;

/** Takes in what a container prints. Until the word has come it is the starter who speaks, and after it the program. */
export function hear({ pipe, word, limits, onLine, onBegun, onFlood }: Hearing): Heard {
  const capture = (stream: "stdout" | "stderr") =>
    createCapture({ bytesMax: limits.outputBytes, onFlood, onText: lineTeller(onLine, stream) });
  const captures = { stdout: capture("stdout"), stderr: capture("stderr") };
  const said = Buffer.from(`${word}\n`);
  let before = Buffer.alloc(0);
  let hasBegun = false;
  const listen = (part: Uint8Array): void => {
    if (hasBegun) return captures.stderr.take(part);
    before = Buffer.concat([before, part]).subarray(-BEFORE_BYTES_MAX);
    const at = before.indexOf(said);
    if (at === -1) return;
    hasBegun = true;
    captures.stderr.take(before.subarray(at + said.length));
    before = before.subarray(0, at);
    onBegun();
  };
  pipe.on("data", createDemultiplexer({ stdout: captures.stdout.take, stderr: listen }));
  // A container that ends does not read the rest of its input, and that is nobody's loss.
  pipe.on("error", () => {});
  const over = new Promise<void>((resolve) => void pipe.once("end", resolve).once("close", resolve));
  return {
    over,
    async closed(timers) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = timers.after(LAST_WAIT_MS, resolve);
      await Promise.race([over, late]);
      cancel();
    },
    end() {
      pipe.destroy();
      return { stdout: captures.stdout.end(), stderr: captures.stderr.end(), before: before.toString() };
    },
  };
}
