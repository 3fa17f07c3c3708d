import { createInputReader } from "./input.ts";
import { runCanonical } from "./bytes.ts";
import type { Define, Handler } from "../terminal/context.ts";

export const define: Define = (canonical, act) => {
  canonical
    .argument("[file]", "a JSON file; - or nothing reads standard input")
    .option("--json", "print bytes and digest as JSON")
    .action(act(printCanonical));
};

const printCanonical: Handler<{ readonly json?: boolean }> = ({ args, options, outside }) =>
  runCanonical({
    operands: args,
    format: options.json ? "json" : "bytes",
    stdin: outside.stdin.isTTY ? "terminal" : "piped",
    stdout: outside.stdout.isTTY ? "terminal" : "piped",
    readInput: createInputReader(outside.stdin),
    writeOut: (text) => void outside.stdout.write(text),
    writeErr: (text) => void outside.stderr.write(text),
  });
