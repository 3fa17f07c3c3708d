import { LIMITS } from "#base";
import { createInputReader } from "../canonical/input.ts";
import { requirePerson } from "../terminal/ask.ts";
import type { Call } from "../terminal/context.ts";
import { CommandFailure, EXIT, usage } from "../terminal/failure.ts";
import { askHidden } from "../terminal/prompts.ts";

export type SetOptions = {
  readonly stdin?: true;
  readonly value?: string;
  readonly json?: boolean;
  readonly host?: string;
};

/** Reads the secret from where it leaves no trace: typed without being shown, or one line of standard input. */
export async function readSecret(call: Call<SetOptions>): Promise<Uint8Array> {
  refuseArguments(call);
  const { options, terminal, outside } = call;
  if (options.stdin === true) return readLine(outside.stdin);
  requirePerson(terminal, {
    what: "Nobody can be asked here for the secret.",
    kept: "Nothing was stored.",
    next: "Pass it on standard input with --stdin, or open the page of the secret in a browser.",
  });
  const typed = await askHidden("The secret (it is not shown)");
  if (typed === null || typed === "") {
    throw new CommandFailure({ what: "Nothing was typed.", kept: "Nothing was stored.", exit: EXIT.needsDecision });
  }
  return fitting(Buffer.from(typed, "utf8"));
}

/** Said without repeating any of it. */
function refuseArguments({ args, options }: Call<SetOptions>): void {
  if (args.length <= 1 && options.value === undefined) return;
  throw usage(
    "A secret is never taken as an argument: it would stay in the shell's history and be seen in the list of processes.",
    "Run it with the name alone and type it when asked, or use --stdin. Replace what was typed now where it came from.",
  );
}

const LINE_BREAK = 0x0a;
const CARRIAGE_RETURN = 0x0d;

async function readLine(stdin: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  // Two more than the longest secret, for the line break.
  const read = await createInputReader(stdin)("-", { bytesMax: LIMITS.secretBytes + 2 });
  if (!read.ok) throw tooLong();
  const line = withoutBreak(read.value);
  if (line.length === 0) throw usage("Standard input holds no secret.");
  if (line.includes(LINE_BREAK)) {
    read.value.fill(0);
    throw usage("Standard input holds more than one line; a secret is one line here.");
  }
  return fitting(line);
}

function withoutBreak(bytes: Uint8Array): Uint8Array {
  const end = bytes.at(-1) === LINE_BREAK ? bytes.length - 1 : bytes.length;
  return bytes.subarray(0, end > 0 && end < bytes.length && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
}

function fitting(bytes: Uint8Array): Uint8Array {
  if (bytes.length > LIMITS.secretBytes) throw tooLong();
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return bytes;
  } catch {
    bytes.fill(0);
    throw usage("The secret is not UTF-8 text.");
  }
}

const tooLong = (): CommandFailure =>
  new CommandFailure({
    what: `A secret has at most ${LIMITS.secretBytes} bytes.`,
    kept: "Nothing was stored.",
    exit: EXIT.usage,
  });
