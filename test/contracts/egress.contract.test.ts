import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEgressGateway } from "#gateway";
import { defaultSandboxConfig, parseHostRule, type EgressUse } from "#model";
import type { EgressGrant, SandboxSpace } from "#ports";
import { createSandboxes, SANDBOX_NODE } from "#sandbox";
import { SANDBOX_BACKENDS, settingsFor, tempFolder, textOf } from "./sandbox-fixture.ts";

const CONFIG = {
  channels: { web: { publicUrl: null } },
  search: { provider: null, apiKey: null, timeoutSeconds: 8, maxResults: 5, maxQueryChars: 300, allowedDomains: [] },
  limits: { webSearchCallsPerMinutePerScope: 20 },
};

const timers = {
  after(delayMs: number, work: () => void) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};

/** A server of this machine that stands for the whole internet, and for Silas itself. */
async function serve(): Promise<number> {
  const server = createServer((request, response) => response.end(`page ${request.url} of ${request.headers.host}`));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

type Bench = {
  readonly space: SandboxSpace;
  readonly port: number;
  readonly grant: EgressGrant;
  readonly uses: EgressUse[];
};

type Settings = ReturnType<typeof settingsFor>;

async function openBench(settings: Settings, gateway: "with" | "without" = "with"): Promise<Bench> {
  const folder = tempFolder();
  const port = await serve();
  const network = {
    resolve: async (name: string) => (name.endsWith(".example.org") ? ["93.184.215.14"] : ["127.0.0.1"]),
    dial: () => connect({ host: "127.0.0.1", port }),
    secure: (socket: Socket) => ({ socket, proven: Promise.resolve(true) }),
    ownAddresses: () => [],
  };
  const sandboxes = createSandboxes({
    settings: settings(join(folder, "data/sandbox/work")),
    own: [join(folder, "data")],
    host: { platform: process.platform, arch: process.arch, searchPath: "/usr/bin:/bin", node: process.execPath },
    randomness: { bytes: (count) => randomBytes(count) },
    timers,
    ...(gateway === "with" ? { egress: createEgressGateway({ timers, config: CONFIG, network }) } : {}),
  });
  onTestFinished(() => sandboxes.close());
  const opened = await sandboxes.open(defaultSandboxConfig({ memoryMb: 512, cpuSeconds: 60 }));
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  const hosts = ["www.example.org:80", "trap.example:80"]
    .map((host) => parseHostRule(host))
    .filter((rule) => rule !== null);
  const uses: EgressUse[] = [];
  return { space: opened.value, port, uses, grant: { hosts, onUse: async (use) => (uses.push(use), true) } };
}

/** Asks for one page after the other, and prints a line for each. */
const fetching = (...urls: readonly string[]): readonly string[] => [
  SANDBOX_NODE,
  "--input-type=module",
  "--eval",
  `for (const url of process.argv.slice(1)) {
     const got = await fetch(url).then(async (r) => r.status + " " + (await r.text()), (e) => "none " + (e.cause?.code ?? e.message));
     console.log(got);
   }`,
  "--",
  ...urls,
];

describe.each(SANDBOX_BACKENDS)("a program of the %s backend with network", (backend) => {
  const settings = settingsFor(backend);

  test("[SBX-09] reaches the hosts it was granted, by the proxy it finds in its environment, and nothing else", async () => {
    const { space, port, grant, uses } = await openBench(settings);
    const say = async (argv: readonly string[], network: EgressGrant | undefined = grant) => {
      const ran = await space.run(network === undefined ? { argv } : { argv, network });
      if (!ran.ok) throw new Error(JSON.stringify(ran.error));
      return textOf(ran.value.stdout) + textOf(ran.value.stderr);
    };
    // Granted; not granted; granted but on this machine; and the servers of this machine by the proxy and past it.
    const urls = ["http://www.example.org/a", "http://other.example.org/", "http://trap.example/"];
    const lines = (await say(fetching(...urls, `http://127.0.0.1:${port}/`))).split("\n");
    expect(lines).toEqual([
      "200 page /a of www.example.org",
      ...[1, 2, 3].map(() => expect.stringMatching(/^none /)),
      "",
    ]);
    const past = `require("net").connect(Number(process.argv[1]), "127.0.0.1").on("connect", () => console.log("REACHED")).on("error", (e) => console.log(e.code))`;
    expect(await say([SANDBOX_NODE, "--eval", past, "--", String(port)])).toContain("ECONNREFUSED");
    expect(uses).toMatchObject([
      { kind: "opened", host: "www.example.org" },
      { kind: "refused", target: { host: "other.example.org" }, reason: "host_not_granted" },
      { kind: "refused", target: { host: "trap.example" }, reason: "address_refused" },
      { kind: "refused", target: { host: "127.0.0.1" }, reason: "host_not_granted" },
      { kind: "ended", host: "www.example.org", requests: 1 },
    ]);
    // The next run in the same space has none again, and finds no socket of the one before.
    const without = await space.run({ argv: fetching("http://www.example.org/") });
    expect(without.ok && textOf(without.value.stdout)).toMatch(/^none /);
    const left = await space.run({ argv: ["ls", "-a", "/run", "/workspace", "/run/silas"] });
    expect(left.ok && textOf(left.value.stdout)).not.toMatch(/egress|way-/);
  });

  test("runs as it would without: its words, input, exit code and signal are its own", async () => {
    const { space, grant: network } = await openBench(settings);
    const echoed = await space.run({
      argv: ["sh", "-c", 'cat; printf "%s|" "$@"; exit 7', "sh", "--eval", "-p", "a b"],
      stdin: Buffer.from("in"),
      network,
    });
    expect(echoed).toMatchObject({ ok: true, value: { end: { kind: "exit", code: 7 } } });
    expect(echoed.ok && textOf(echoed.value.stdout)).toBe("in--eval|-p|a b|");
    const killed = await space.run({ argv: ["sh", "-c", "kill -TERM $$"], network });
    expect(killed).toMatchObject({ ok: true, value: { end: { kind: "signal", signal: "SIGTERM" } } });
    const missing = await space.run({ argv: ["no-such-program"], network });
    expect(missing).toMatchObject({ ok: true, value: { end: { kind: "exit", code: 127 } } });
  });

  test("[VER-07] does not begin where no gateway can keep it to its hosts", async () => {
    const { space, grant } = await openBench(settings, "without");
    const ran = await space.run({ argv: ["touch", "begun"], network: grant });
    expect(ran).toEqual({ ok: false, error: { code: "sandbox_network_refused", reason: "no_gateway" } });
    const looked = await space.run({ argv: ["ls"] });
    expect(looked.ok && textOf(looked.value.stdout)).toBe("");
  });
});
