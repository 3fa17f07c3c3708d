import { describe, expect, test } from "vitest";
import { echoServer, internetOf, openDoor, pageOf, rawServer, serverOf, tunnelTo } from "./gateway.fixture.ts";

const OPEN = ["93.184.215.14"];

describe("what a plan names is reached", () => {
  test("through a tunnel, byte for byte, and recorded before and after", async () => {
    const network = internetOf({ "api.example.org": OPEN }, await echoServer());
    const { door, uses, say } = await openDoor({ hosts: ["api.example.org"], network });
    const talk = await say(tunnelTo("api.example.org:443"));
    await talk.until("\r\n\r\n");
    talk.socket.write("hello");
    expect(await talk.until("hello")).toMatch(/^HTTP\/1.1 200 .*\r\n\r\nhello$/s);
    expect(uses).toEqual([{ kind: "opened", host: "api.example.org", port: 443 }]);
    await door.close();
    expect(await talk.whole()).toContain("hello");
    const sums = { requests: 1, bytesSent: 5, bytesReceived: 5 };
    expect(uses.slice(1)).toEqual([{ kind: "ended", host: "api.example.org", port: 443, ...sums }]);
    await door.close();
  });

  test("over a connection that is kept as long as nothing moves on any other", async () => {
    const network = internetOf({ "www.example.org": OPEN }, await serverOf((_request, response) => response.end("up")));
    const { say } = await openDoor({ hosts: ["www.example.org:80"], network });
    const talk = await say(pageOf("http://www.example.org/").replace("Connection: close", "Connection: keep-alive"));
    expect(await talk.until("up")).toMatch(/^Keep-Alive: timeout=60\r$/m);
  });

  test("as a page without encryption, with the host that was judged and nothing meant for a proxy", async () => {
    const port = await serverOf((request, response) => {
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.end(JSON.stringify([request.method, request.url, request.headers]));
    });
    const network = internetOf({ "www.example.org": OPEN }, port);
    const { say } = await openDoor({ hosts: ["www.example.org:80"], network });
    const answer = await (await say(pageOf("http://www.example.org/a?b=c"))).whole();
    expect(answer).toMatch(/^HTTP\/1.1 200/);
    expect(answer).toContain("set-cookie: b=2");
    const [method, url, headers] = JSON.parse(answer.slice(answer.indexOf("["), answer.lastIndexOf("]") + 1));
    expect([method, url]).toEqual(["GET", "/a?b=c"]);
    expect(headers).toEqual({ host: "www.example.org", connection: "close" });
  });

  test("and what comes back packed stays so: only an answer that may hold a secret is looked through", async () => {
    const port = await serverOf((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("packed");
    });
    const { say } = await openDoor({
      hosts: ["www.example.org:80"],
      network: internetOf({ "www.example.org": OPEN }, port),
    });
    const answer = await (await say(pageOf("http://www.example.org/"))).whole();
    expect(answer).toMatch(/^HTTP\/1.1 200 .*content-encoding: gzip\r.*packed/s);
  });

  test("and the name is looked up once: who answers differently the second time is not asked", async () => {
    const addresses: Record<string, readonly string[]> = { "api.example.org": OPEN };
    const network = internetOf(addresses, await echoServer());
    const { say } = await openDoor({ hosts: ["api.example.org"], network });
    await (await say(tunnelTo("api.example.org:443"))).until("200");
    addresses["api.example.org"] = ["127.0.0.1"];
    await (await say(tunnelTo("api.example.org:443"))).until("200");
    expect(network.asked).toEqual(["api.example.org"]);
    expect(network.dialled).toEqual(["93.184.215.14:443", "93.184.215.14:443"]);
  });
});

/** Spellings of this machine, of another host, or of nothing, as clients and servers have confused them. */
const FORMS = [
  ..."127.0.0.1:443 127.1:443 2130706433:443 0x7f000001:443 0177.0.0.1:443 0.0.0.0:443 0:443 localhost:443".split(" "),
  ..."[::1]:443 [::]:443 [::ffff:127.0.0.1]:443 [::ffff:7f00:1]:443 [0:0:0:0:0:0:0:1]:443 [fe80::1%25lo]:443".split(
    " ",
  ),
  ..."169.254.169.254:80 metadata.google.internal:80 10.0.0.1:443 192.168.1.1:443 [fd00:ec2::254]:80".split(" "),
  ..."api.example.org:80 api.example.org:8443 api.example.org:0 api.example.org:65536 api.example.org:443443".split(
    " ",
  ),
  ..."api.example.org.:443 api.example.org api.example.org: :443 api.example.org:443:443 xapi.example.org:443".split(
    " ",
  ),
  ..."api.example.org.evil.example:443 evil.example:443 example.org:443 .api.example.org:443 *.example.org:443".split(
    " ",
  ),
  ..."user@api.example.org:443 api.example.org@evil.example:443 api.example.org#evil.example:443".split(" "),
  ..."api.example.org/:443 api.example.org%00.evil.example:443 api.example.org%2eevil:443 аpi.example.org:443".split(
    " ",
  ),
];
const URLS = [
  ..."http://api.example.org/ http://api.example.org:81/ https://api.example.org/ ftp://api.example.org/".split(" "),
  ..."http://evil.example/ http://127.0.0.1/ http://2130706433/ http://0x7f.1/ http://[::1]/ http://localhost/".split(
    " ",
  ),
  ..."http://www.example.org@evil.example/ http://evil.example#www.example.org/ http://www.example.org:443/".split(" "),
  ..."http://www.example.org:80@evil.example/ http:///www.example.org/ http:www.example.org / /index.html *".split(" "),
  ..."http://www.example.org%40evil.example/ http://www.example.org\\@evil.example/ //www.example.org/".split(" "),
  ..."http://169.254.169.254/latest/meta-data/ file:///etc/passwd http://www.example.org.evil.example/".split(" "),
];

describe("[SBX-09] nothing else is reached", () => {
  test(`by none of ${FORMS.length + URLS.length} ways to write a place, and none of them is even looked up`, async () => {
    const names = new Proxy({}, { get: () => ["127.0.0.1"] }) as Record<string, readonly string[]>;
    const network = internetOf(names, await echoServer());
    const { say } = await openDoor({ hosts: ["api.example.org", "www.example.org:80"], network });
    expect(FORMS.length + URLS.length).toBeGreaterThanOrEqual(60);
    for (const text of [...FORMS.map(tunnelTo), ...URLS.map(pageOf)]) {
      const answer = await (await say(text)).whole();
      expect(answer, text).toMatch(/^(?:HTTP\/1.1 4\d\d|$)/);
    }
    expect(network.asked).toEqual([]);
    expect(network.dialled).toEqual([]);
  });

  test.each([
    ["this machine", ["127.0.0.1"]],
    ["its network", ["192.168.0.7"]],
    ["the metadata of a cloud", ["169.254.169.254"]],
    ["a mapped address", ["::ffff:93.184.215.14"]],
    ["a public address of this machine itself", ["8.8.4.4"]],
    ["the same in other digits", ["2001:4860:4860::8844"]],
    ["something that is no address", ["example.org"]],
    ["one good address and one bad", ["93.184.215.14", "10.0.0.1"]],
  ])("when the name stands for %s", async (_what, addresses) => {
    const network = internetOf({ "api.example.org": addresses }, await echoServer());
    const { say, uses } = await openDoor({ hosts: ["api.example.org"], network });
    expect(await (await say(tunnelTo("api.example.org:443"))).whole()).toContain("403 address_refused");
    expect(network.dialled).toEqual([]);
    const target = { host: "api.example.org", port: 443 };
    expect(uses).toEqual([{ kind: "refused", target, reason: "address_refused" }]);
  });

  test("not the name under which Silas itself is known, although a plan says so", async () => {
    const network = internetOf({ "silas.example.org": OPEN }, await echoServer());
    const { say } = await openDoor({ hosts: ["silas.example.org"], network });
    expect(await (await say(tunnelTo("silas.example.org:443"))).whole()).toContain("403 address_refused");
    expect(network.asked).toEqual([]);
  });

  test("a redirect to another host goes back as it came, and following it is refused", async () => {
    const port = await serverOf((_request, response) => {
      response.writeHead(302, { location: "http://evil.example/" }).end();
    });
    const network = internetOf({ "www.example.org": OPEN, "evil.example": OPEN }, port);
    const { say, uses } = await openDoor({ hosts: ["www.example.org:80"], network });
    expect(await (await say(pageOf("http://www.example.org/"))).whole()).toMatch(/^HTTP\/1.1 302 .*evil.example/s);
    expect(await (await say(pageOf("http://evil.example/"))).whole()).toMatch(/^HTTP\/1.1 403/);
    expect(network.dialled).toEqual(["93.184.215.14:80"]);
    expect(uses.at(-1)).toMatchObject({ kind: "refused", reason: "host_not_granted" });
  });
});

describe("what is too much, or not kept", () => {
  const limits = { requests: 100, bytes: 1000, connections: 10, connectMs: 10_000, idleMs: 600_000 };

  test("what cannot be recorded does not leave", async () => {
    const network = internetOf({ "api.example.org": OPEN }, await echoServer());
    const { say } = await openDoor({ hosts: ["api.example.org"], network, keeps: () => false });
    expect(await (await say(tunnelTo("api.example.org:443"))).whole()).toContain("403 not_recorded");
    expect(network.dialled).toEqual([]);
  });

  test("more bytes than a run may have end its connection", async () => {
    const network = internetOf({ "api.example.org": OPEN }, await echoServer());
    const { say, uses } = await openDoor({ hosts: ["api.example.org"], network, limits });
    const talk = await say(tunnelTo("api.example.org:443"));
    await talk.until("\r\n\r\n");
    talk.socket.write("x".repeat(2000));
    expect((await talk.whole()).length).toBeLessThan(1200);
    expect(uses).toContainEqual(expect.objectContaining({ kind: "refused", reason: "too_many_bytes" }));
  });

  test("more requests than a run may make are refused", async () => {
    const network = internetOf({ "api.example.org": OPEN }, await echoServer());
    const { say } = await openDoor({ hosts: ["api.example.org"], network, limits: { ...limits, requests: 1 } });
    await (await say(tunnelTo("api.example.org:443"))).until("200");
    expect(await (await say(tunnelTo("api.example.org:443"))).whole()).toContain("403 too_many_requests");
  });

  test("whoever does not answer is given up, and a name nobody knows is said", async () => {
    const network = internetOf({ "api.example.org": OPEN }, 9);
    const { say } = await openDoor({ hosts: ["api.example.org", "none.example.org"], network, limits });
    expect(await (await say(tunnelTo("api.example.org:443"))).whole()).toContain("403 unreachable");
    expect(await (await say(tunnelTo("none.example.org:443"))).whole()).toContain("403 name_unknown");
  });

  test("a program that tries every name there is fills the record with twenty of them", async () => {
    const network = internetOf({}, 9);
    const { say, uses } = await openDoor({ hosts: ["api.example.org"], network });
    for (let name = 0; name < 30; name += 1) await (await say(tunnelTo(`n${name}.example.org:443`))).whole();
    expect(uses).toHaveLength(20);
  });
});

test("a host that answers with what is no answer costs the program its connection, and Silas nothing", async () => {
  for (const first of [
    "HTTP/1.1 099 No",
    "HTTP/1.1 000 No",
    "HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade",
    "no",
  ]) {
    const network = internetOf({ "example.org": ["93.184.216.34"] }, await rawServer(`${first}\r\n\r\nrest`));
    const { say } = await openDoor({ hosts: ["example.org:80"], network });
    expect(await (await say(pageOf("http://example.org/"))).whole()).toBe("");
  }
});
