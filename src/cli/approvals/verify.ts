import type { Readable } from "node:stream";
import { LIMITS, oneLine } from "#base";
import { isProven, readReceipt, verifyReceipt, type ReceiptCheck } from "#policy";
import { receiptTools } from "#runtime";
import { createInputReader } from "../canonical/input.ts";
import type { Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT } from "../terminal/failure.ts";

const LABEL_CHARS = 11;

/** Checks a receipt with nothing but the file: no data directory is opened and nothing is asked over a network. */
export const verifyReceiptFile: Handler<{ readonly json?: boolean; readonly key?: string }> = async (call) => {
  const { options, terminal, outside } = call;
  const text = await readText(call.args[0] ?? "", outside.stdin);
  const checks = text === null ? NOT_TEXT : verifyReceipt(text, { ...receiptTools, keyId: options.key });
  const isValid = isProven(checks);
  const keyId = isValid && text !== null ? (readReceipt(text)?.key.keyId ?? null) : null;
  if (options.json) terminal.json({ valid: isValid, key_id: keyId, checks });
  else {
    for (const check of checks) terminal.line(describeCheck(check));
    terminal.line(isValid ? "The receipt proves the approval." : `Not proven: ${brokenNames(checks)} broke.`);
    if (keyId !== null) terminal.line(whoseWords(keyId, options.key));
  }
  return isValid ? EXIT.ok : EXIT.failed;
};

/** A receipt brings its key along, so that only who knows the owner's key knows whose approval it is. */
const whoseWords = (keyId: string, expected: string | undefined): string =>
  expected === undefined
    ? `It was signed with key ${keyId}. Whose that is, the receipt cannot prove: compare it with the owner's \`silas keys list\`.`
    : `It was signed with key ${keyId}, as expected.`;

/** A lenient reading would take a damaged byte for the replacement mark that a plan may really hold. */
const NOT_TEXT: readonly ReceiptCheck[] = [{ name: "file", outcome: "failed", reason: "invalid_utf8" }];

const describeCheck = ({ name, outcome, reason }: ReceiptCheck): string =>
  oneLine(`${name.padEnd(LABEL_CHARS)}${outcome}${reason === null ? "" : `: ${reason}`}`);

const brokenNames = (checks: readonly ReceiptCheck[]): string =>
  checks
    .filter(({ outcome }) => outcome === "failed")
    .map(({ name }) => name)
    .join(", ");

async function readText(source: string, stdin: Readable): Promise<string | null> {
  const bytes = await createInputReader(stdin)(source, { bytesMax: LIMITS.canonicalInputBytes });
  if (!bytes.ok) {
    throw new CommandFailure({
      what: `${source} could not be read (${bytes.error.code}).`,
      next: "Name the file that `silas approvals export` wrote.",
    });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.value);
  } catch {
    return null;
  }
}
