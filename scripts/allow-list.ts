/**
 * Exceptions from the tidy rules. Each names the check, the file, the reason and the decision record that allows it; an
 * entry that no longer excuses anything fails the tidy test, so the list can only shrink by itself.
 */
export type Exception = {
  readonly check: string;
  readonly path: string;
  readonly reason: string;
  /** Number of the record in docs/decisions. */
  readonly decision: string;
};

export const ALLOW_LIST: readonly Exception[] = [
  {
    check: "only channels listen",
    path: "src/shell/gateway/egress-gateway.ts",
    reason: "the door of one run is a socket file in its sandbox, and no way into Silas",
    decision: "0051",
  },
  {
    check: "only channels listen",
    path: "src/cli/house/doctor-checks.ts",
    reason: "tries whether the port of the page is free, and closes it at once",
    decision: "0051",
  },
  {
    check: "only channels listen",
    path: "src/cli/sandbox/escape/stage.ts",
    reason: "the servers that attempts to break out of the sandbox are aimed at",
    decision: "0051",
  },
  {
    check: "only the gateway connects",
    path: "src/cli/sandbox/escape/stage.ts",
    reason: "one of those servers takes datagrams, and their socket is of both kinds",
    decision: "0051",
  },
  {
    check: "only the gateway connects",
    path: "src/cli/client/http-client.ts",
    reason: "the terminal talks to the instance of Silas on this machine, by its number",
    decision: "0051",
  },
  {
    check: "only the gateway connects",
    path: "src/shell/sandbox/container/engine-client.ts",
    reason: "the container engine of this machine, by its socket file",
    decision: "0051",
  },
];
