import { SANDBOX_NODE } from "./system-mounts.ts";

/** Where the socket of the gateway is shown to a run that has network, and to no other. */
export const EGRESS_SOCKET = "/run/silas/egress";
/** On the loopback of the sandbox, which is its own: nobody else is there to take the number. */
const PORT = 3128;

/**
 * Stands beside the program, in its namespaces and under its limits: programs speak to a proxy by a port, and the gateway
 * is a socket in a file. It carries bytes and knows nothing; what may be reached is decided outside. It ends as the
 * program does, and with it everything the program left behind.
 */
const PROGRAM = `"use strict";
const net = require("node:net");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const quiet = (socket) => socket.on("error", () => {});
const server = net.createServer({ allowHalfOpen: true }, (inner) => {
  const outer = net.connect({ path: "${EGRESS_SOCKET}", allowHalfOpen: true });
  quiet(inner).pipe(quiet(outer)).pipe(inner);
  inner.once("close", () => outer.destroy());
  outer.once("close", () => inner.destroy());
});
server.listen(${PORT}, "127.0.0.1", () => {
  const [handed, program, ...args] = process.argv.slice(1);
  const proxy = "http://127.0.0.1:${PORT}";
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
  const env = { ...process.env, NODE_USE_ENV_PROXY: "1", ...Object.fromEntries(names.map((name) => [name, proxy])) };
  const stdio = ["inherit", "inherit", "inherit"];
  for (const number of JSON.parse(handed)) stdio[number] = number;
  const child = spawn(program, args, { stdio: Array.from(stdio, (one) => one ?? "ignore"), env });
  child.once("error", (cause) => {
    process.stderr.write(program + ": " + cause.message + "\\n");
    process.exit(127);
  });
  child.once("exit", (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
});
`;

/** The same program, with a way out beside it. It finds the open files of these numbers as it would without. */
export const withEgress = (argv: readonly string[], handed: readonly number[] = []): readonly string[] => [
  SANDBOX_NODE,
  "--max-old-space-size=64",
  "--input-type=commonjs",
  "--eval",
  PROGRAM,
  "--",
  JSON.stringify(handed),
  ...argv,
];
