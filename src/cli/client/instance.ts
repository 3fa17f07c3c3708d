import { readFileSync } from "node:fs";
import type { LoadedConfig } from "#config";
import { readInstance, type Instance } from "#stores";
import { CommandFailure } from "../terminal/failure.ts";
import type { InstanceAddress } from "./http-client.ts";

export type RunningInstance = { readonly pid: number; readonly url: string; readonly address: InstanceAddress };

/** The Silas that runs on this data directory and said where; null when there is none, or only a command for a moment. */
export async function findInstance(setup: LoadedConfig): Promise<RunningInstance | null> {
  const found = readInstance(setup.paths.dataDir);
  if (!found.ok) {
    throw new CommandFailure({
      what: `Whether Silas runs on ${setup.paths.dataDir} could not be found out.`,
      next: "Check that the directory belongs to you; `silas doctor` looks for the cause.",
      cause: found.error.cause,
    });
  }
  if (found.value.state !== "live" || found.value.instance === null) return null;
  const { instance } = found.value;
  return { pid: instance.pid, url: instance.url, address: addressOf(instance, setup) };
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The token goes to this machine and nowhere else, whatever the file says. */
function addressOf({ url, cli_token: token }: Instance, { config }: LoadedConfig): InstanceAddress {
  const { protocol, hostname, port } = new URL(url);
  if (!LOOPBACK.has(hostname)) {
    throw new CommandFailure({
      what: "The running Silas gives an address that is not on this machine, so the terminal does not speak to it.",
      kept: "Nothing was changed.",
      next: "Stop it, and set channels.web.host to a loopback address.",
    });
  }
  const { host, tls } = config.channels.web;
  const isTls = protocol === "https:";
  return {
    host: host === "::1" || host === "localhost" ? host : "127.0.0.1",
    port: Number(port || (isTls ? 443 : 80)),
    token,
    certificate: isTls && tls.cert !== null ? readFileSync(tls.cert, "utf8") : null,
  };
}
