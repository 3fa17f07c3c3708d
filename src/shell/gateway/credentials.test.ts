import * as fc from "fast-check";
import { createServer } from "node:https";
import { connect as connectSecurely } from "node:tls";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { EgressCredential } from "#ports";
import {
  IMPOSTOR_CERT,
  IMPOSTOR_KEY,
  internetOf,
  openDoor,
  pageOf,
  rules,
  serverOf,
  tunnelTo,
} from "./gateway.fixture.ts";
import { createLookout } from "./lookout.ts";
import { securedBy, systemNetwork, type Network } from "./network.ts";

const OPEN = ["93.184.215.14"];
const SECRET = "canary-of-the-gateway";

/** A credential for a host, and how often it was revealed. */
function credentialFor(host: string, given: Partial<EgressCredential> = {}) {
  const [rule] = rules(host);
  if (rule === undefined) throw new Error(host);
  const shown = { times: 0 };
  const reveal = async () => ((shown.times += 1), `Bearer ${SECRET}`);
  const credential = { host: rule, header: "authorization", reveal, traces: [Buffer.from(SECRET)], ...given };
  return { credential, shown };
}

type Seen = { readonly to: string; readonly headers: Record<string, unknown> };

async function world(hosts: readonly string[], given: Partial<EgressCredential> = {}) {
  const seen: Seen[] = [];
  const port = await serverOf((request, response) => {
    seen.push({ to: `${request.headers.host}${request.url}`, headers: request.headers });
    if (request.url === "/elsewhere") response.writeHead(302, { location: "http://other.example.org/" }).end();
    else if (request.url === "/packed") response.writeHead(200, { "content-encoding": "gzip" }).end("x");
    else if (request.url === "/late") {
      response.write("x".repeat(70_000));
      response.end(SECRET.slice(0, 9).concat(SECRET.slice(9)));
    } else response.end("up");
  });
  const addresses = { "api.example.org": OPEN, "other.example.org": OPEN, "sub.api.example.org": OPEN };
  const network = internetOf(addresses, port);
  const { credential, shown } = credentialFor("api.example.org", given);
  const opened = await openDoor({ hosts, network, credentials: [credential] });
  return { ...opened, seen, shown, network };
}

describe("a credential", () => {
  test("goes to the host it was saved for, in place of what the program says, and nothing else of it changes", async () => {
    const { say, seen, network } = await world(["api.example.org", "other.example.org:80"]);
    for (const url of ["http://api.example.org/a?b", "http://api.example.org:443/c"]) {
      const request = pageOf(url).replace("Connection:", "Authorization: mine\r\nAccept-Encoding: gzip\r\nConnection:");
      expect(await (await say(request)).whole()).toMatch(/^HTTP\/1.1 200 .*up/s);
    }
    expect(seen.map(({ to }) => to)).toEqual(["api.example.org/a?b", "api.example.org/c"]);
    const added = { authorization: `Bearer ${SECRET}`, "accept-encoding": "identity" };
    for (const { headers } of seen) expect(headers).toEqual({ ...added, host: "api.example.org", connection: "close" });
    expect(network.dialled).toEqual(["93.184.215.14:443", "93.184.215.14:443"]);
  });

  test("goes to no other host, port or name, and a redirect away from its host takes nothing along", async () => {
    const hosts = ["api.example.org", "other.example.org:80", "sub.api.example.org:80", "api.example.org:8080"];
    const { say, seen, shown } = await world(hosts);
    for (const host of ["other.example.org", "sub.api.example.org", "api.example.org:8080"]) {
      expect(await (await say(pageOf(`http://${host}/`))).whole()).toContain("up");
    }
    expect(shown.times).toBe(0);
    expect(await (await say(pageOf("http://api.example.org/elsewhere"))).whole()).toMatch(/^HTTP\/1.1 302/);
    expect(await (await say(pageOf("http://other.example.org/"))).whole()).toContain("up");
    const told = seen.map(({ to, headers }) => [to, headers["authorization"] ?? null]);
    expect(told.filter(([, header]) => header !== null)).toEqual([["api.example.org/elsewhere", `Bearer ${SECRET}`]]);
  });

  test("is added in a tunnel without encryption too, and such a tunnel leads nowhere else", async () => {
    const { say, seen } = await world(["api.example.org", "other.example.org:80"]);
    const talk = await say(tunnelTo("api.example.org:80"));
    await talk.until("\r\n\r\n");
    talk.socket.write("GET /in HTTP/1.1\r\nHost: other.example.org\r\n\r\n");
    expect(await talk.until("up")).toContain("up");
    talk.socket.write("GET http://other.example.org/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(await talk.whole()).toContain("403");
    expect(seen).toMatchObject([{ to: "api.example.org/in", headers: { authorization: `Bearer ${SECRET}` } }]);
  });

  test("is added also to a request that came along with the wish for such a tunnel", async () => {
    const { say, seen } = await world(["api.example.org"]);
    const request = "GET /along HTTP/1.1\r\nHost: api.example.org\r\nConnection: close\r\n\r\n";
    expect(await (await say(tunnelTo("api.example.org:80") + request)).whole()).toContain("up");
    expect(seen).toMatchObject([{ to: "api.example.org/along", headers: { authorization: `Bearer ${SECRET}` } }]);
  });

  test("that is not granted to the run, or whose use cannot be recorded, leaves nothing", async () => {
    const without = await world(["other.example.org:80"]);
    expect(await (await without.say(pageOf("http://api.example.org/"))).whole()).toMatch(/^HTTP\/1.1 403/);
    const unrecorded = await world(["api.example.org"], { reveal: async () => null });
    expect(await (await unrecorded.say(pageOf("http://api.example.org/"))).whole()).toContain("not recorded");
    expect([...without.seen, ...unrecorded.seen]).toEqual([]);
  });

  test("does not come back: an answer that holds it, or could hide it, is cut off", async () => {
    const { say, uses } = await world(["api.example.org"]);
    const late = await (await say(pageOf("http://api.example.org/late"))).whole();
    expect(late).not.toContain(SECRET.slice(0, 9));
    expect(await (await say(pageOf("http://api.example.org/packed"))).whole()).toContain("403");
    expect(uses).toContainEqual(expect.objectContaining({ kind: "refused", reason: "credential_withheld" }));
  });
});

/** Speaks TLS as `api.tavily.com`, with a certificate that nobody but this test believes. */
async function securely(secure: Network["secure"]) {
  const seen: string[] = [];
  const server = createServer({ key: IMPOSTOR_KEY, cert: IMPOSTOR_CERT }, (request, response) => {
    seen.push(String(request.headers.authorization));
    response.end("up");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const internet = internetOf({ "api.tavily.com": OPEN }, (server.address() as AddressInfo).port);
  const { credential, shown } = credentialFor("api.tavily.com");
  const { say } = await openDoor({
    hosts: ["api.tavily.com"],
    network: { ...internet, secure },
    credentials: [credential],
  });
  return { answer: await (await say(pageOf("http://api.tavily.com/"))).whole(), seen, shown };
}

test("a credential is revealed to whoever proved over TLS to be the host, and to nobody else", async () => {
  const good = await securely((socket, servername) =>
    securedBy(connectSecurely({ socket, servername, ca: IMPOSTOR_CERT })),
  );
  expect(good.answer).toMatch(/^HTTP\/1.1 200 .*up/s);
  expect(good.seen).toEqual([`Bearer ${SECRET}`]);
  const impostor = await securely(systemNetwork.secure);
  expect(impostor.answer).toContain("did not prove who it is");
  expect([impostor.seen, impostor.shown.times]).toEqual([[], 0]);
});

test("however a text is cut, no part of one that is looked for gets by, and everything else does", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  const looked = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 3, maxLength: 5 }), { maxLength: 2 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), looked, (parts, texts) => {
      const lookout = createLookout(texts.map((one) => Buffer.from(one)));
      let passed = "";
      let isCut = false;
      for (const part of parts) {
        const free: Uint8Array | null = isCut ? null : lookout.take(Buffer.from(part));
        isCut = free === null;
        passed += Buffer.from(free ?? []).toString();
      }
      const whole = parts.join("");
      const holds = texts.some((one) => whole.includes(one));
      expect(isCut).toBe(holds);
      expect(holds || passed + Buffer.from(lookout.end()).toString() === whole).toBe(true);
      expect(texts.some((one) => passed.includes(one))).toBe(false);
    }),
    { numRuns: 500 },
  );
});
