import type { SandboxCommand } from "#ports";
import { node, type Attempt } from "./attempt.ts";
import type { Stage } from "./stage.ts";

/** A run that was given network to one host, which does not exist. */
const network = { hosts: [{ host: "granted.invalid", port: 443 }], onUse: async () => true };

/** Speaks to the proxy of the run, or to its socket; anything but a refusal is a way through. */
const SPEAK = `
const { hostname, port } = new URL(env.http_proxy);
const s = net.connect(env.BY ? { path: env.BY } : { host: hostname, port });
let got = "";
s.on("data", (part) => { got += part; if (/^HTTP\\/1.1 [123]/.test(got)) escaped(got.split("\\r\\n")[0]); });
s.on("error", (e) => held(e.code)).on("close", () => held(got.split("\\r\\n")[0] || "closed"));
setTimeout(() => held("no answer"), 5000);
s.write(env.SAYS.replaceAll("|", "\\r\\n"));`;

const saying = (says: string, by: Readonly<Record<string, string>> = {}): SandboxCommand => ({
  ...node(SPEAK, { SAYS: `${says}||`, ...by }),
  network,
});
const tunnel = (target: string): SandboxCommand => saying(`CONNECT ${target} HTTP/1.1|Host: ${target}`);
const page = (url: string): SandboxCommand => saying(`GET ${url} HTTP/1.1|Host: granted.invalid|Connection: close`);

const TARGETS: readonly (readonly [name: string, target: (stage: Stage) => string])[] = [
  ["127.0.0.1", ({ port }) => `127.0.0.1:${port}`],
  ["localhost", ({ port }) => `localhost:${port}`],
  ["::1", ({ port6, port }) => `[::1]:${port6 ?? port}`],
  ["0.0.0.0", ({ port }) => `0.0.0.0:${port}`],
  ["127.0.0.1 in IPv6 clothes", ({ port }) => `[::ffff:127.0.0.1]:${port}`],
  ["127.0.0.1 as one number", ({ port }) => `2130706433:${port}`],
  ["another port of the granted host", ({ port }) => `granted.invalid:${port}`],
];

/** Every way from a program with network to what it was not granted, the servers of this machine first. */
export const GATEWAY_ATTEMPTS: readonly Attempt[] = [
  ...TARGETS.map(([name, target]) => ({
    name: `have the gateway connect to ${name}`,
    command: (stage: Stage) => tunnel(target(stage)),
  })),
  {
    name: "have the gateway connect to the metadata of a cloud",
    command: () => tunnel("169.254.169.254:80"),
  },
  {
    name: "ask the gateway for a page of this machine",
    command: ({ port }) => page(`http://127.0.0.1:${port}/`),
  },
  {
    name: "ask the gateway for a page behind the name of the granted host",
    command: ({ port }) => page(`http://granted.invalid@127.0.0.1:${port}/`),
  },
  {
    name: "ask the gateway for a search nobody approved",
    command: () => page("http://search.silas/"),
  },
  {
    name: "speak to the gateway by its socket",
    command: ({ port }) => saying(`CONNECT 127.0.0.1:${port} HTTP/1.1|Host: x`, { BY: "/run/silas/egress" }),
  },
  {
    name: "go past the gateway with network",
    command: ({ port }) => ({
      ...node(`reaches({ host: "127.0.0.1", port: env.PORT })`, { PORT: String(port) }),
      network,
    }),
  },
  {
    name: "see an interface that leads somewhere with network",
    command: () => ({
      ...node(`const lines = fs.readFileSync("/proc/net/dev", "utf8").split("\\n").slice(2).map((l) => l.trim().split(":")[0]).filter(Boolean);
        lines.every((name) => name === "lo") ? held(lines.join()) : escaped(lines.join());`),
      network,
    }),
  },
];
