import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { secretText, type SearchGrant } from "#model";
import { CONFIG, internetOf, openDoor, pageOf, serverOf, IMPOSTOR_CERT, IMPOSTOR_KEY } from "./gateway.fixture.ts";
import { systemNetwork } from "./network.ts";

const KEY = "tvly-canary-9d1f";
const SEARCH = { ...CONFIG.search, provider: "tavily", apiKey: secretText(KEY) } as const;
const GRANT: SearchGrant = { query: "height of the tower", maxResults: null, domains: [] };
const DOOR = "http://search.silas/";

type Asked = { readonly url: string; readonly headers: IncomingMessage["headers"]; readonly body: string };
type Answering = (response: ServerResponse) => void;
type Scene = {
  readonly grant?: SearchGrant | null;
  readonly search?: Partial<(typeof CONFIG)["search"]>;
  readonly perMinute?: number;
  readonly answer?: Answering;
  readonly timers?: Parameters<typeof openDoor>[0]["timers"];
  readonly addresses?: readonly string[];
};

const result = (host: string, more = {}) => ({
  title: `At ${host}`,
  url: `https://${host}/p`,
  content: "330 m",
  ...more,
});
const saying =
  (results: readonly unknown[]): Answering =>
  (response) =>
    response.end(JSON.stringify({ results }));

/** A provider on this machine that speaks the API, and a door with one approved search. */
async function openSearch({ grant = GRANT, search = {}, perMinute = 20, answer = saying([]), ...rest }: Scene = {}) {
  const asked: Asked[] = [];
  const port = await serverOf((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part) => (body += part));
    request.on("end", () => {
      asked.push({ url: `${request.method} ${request.url}`, headers: request.headers, body });
      answer(response);
    });
  });
  const network = internetOf({ "api.tavily.com": rest.addresses ?? ["93.184.215.14"] }, port);
  const config = {
    ...CONFIG,
    search: { ...SEARCH, ...search },
    limits: { webSearchCallsPerMinutePerScope: perMinute },
  };
  const timers = rest.timers === undefined ? {} : { timers: rest.timers };
  const searching = grant === null ? {} : { search: grant };
  const opened = await openDoor({ hosts: [], network, config, ...timers, ...searching });
  const find = async (text = pageOf(DOOR)) => {
    const heard = await (await opened.say(text)).whole();
    const [head = "", ...body] = heard.split("\r\n\r\n");
    return { status: Number(head.split(" ")[1]), body: body.join("\r\n\r\n") };
  };
  return { ...opened, asked, network, find };
}
const listIn = (body: string): unknown => JSON.parse(body.slice(body.indexOf("["), body.lastIndexOf("]") + 1));

describe("web_search", () => {
  test("[EXEC-10] asks the provider over HTTP with the approved query, whatever the program says, and records it", async () => {
    const { find, asked, uses, network } = await openSearch({ answer: saying([result("a.example")]) });
    const body = '{"query":"my secrets"}';
    const text = `POST ${DOOR}?q=secrets HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    const found = await find(text);
    expect(found.status).toBe(200);
    expect(listIn(found.body)).toEqual([result("a.example")]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      url: "POST /search",
      headers: { host: "api.tavily.com", authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ query: GRANT.query, max_results: 5, include_domains: [] }),
    });
    expect(network.dialled).toEqual(["93.184.215.14:443"]);
    expect(uses).toMatchObject([
      { kind: "opened", host: "api.tavily.com", port: 443 },
      { kind: "ended", requests: 1, bytesSent: expect.any(Number) },
    ]);
    expect(found.body + JSON.stringify(uses)).not.toContain(KEY);
  });

  test.each([
    ["provider", { provider: null }],
    ["key", { apiKey: null }],
  ])("[EXEC-08] does not exist without a %s", async (_what, search) => {
    const { find, network } = await openSearch({ search });
    expect(await find()).toMatchObject({ status: 403, body: expect.stringContaining("no search provider is set up") });
    expect(network.dialled).toEqual([]);
  });

  test("a run that was approved without a search has none", async () => {
    const { find, network } = await openSearch({ grant: null });
    expect((await find()).status).toBe(403);
    expect(network.dialled).toEqual([]);
  });

  describe("its limits hold on this side", () => {
    test("[EXEC-09] of the query, counted in characters", async () => {
      const long = { ...GRANT, query: "ä".repeat(301) };
      const refused = await openSearch({ grant: long });
      expect(await refused.find()).toMatchObject({ status: 403, body: expect.stringContaining("max_query_chars") });
      expect(refused.asked).toEqual([]);
      expect((await (await openSearch({ grant: { ...GRANT, query: "😀".repeat(300) } })).find()).status).toBe(200);
    });

    test("[EXEC-09] of the results, which a step may lower and not raise", async () => {
      const answer = saying(Array.from({ length: 20 }, (_, at) => result(`n${at}.example`)));
      for (const [maxResults, count] of [
        [null, 5],
        [2, 2],
        [50, 5],
      ] as const) {
        const { find } = await openSearch({ grant: { ...GRANT, maxResults }, answer });
        expect(listIn((await find()).body)).toHaveLength(count);
      }
    });

    test("[EXEC-09] of the domains, whatever the provider sends", async () => {
      const hosts = ["a.example", "sub.a.example", "xa.example", "a.example.evil.example", "b.example"];
      const answer = saying([...hosts.map((host) => result(host)), result("x", { url: "javascript:alert(1)" })]);
      const { find, asked } = await openSearch({ search: { allowedDomains: ["a.example"] }, answer });
      expect(listIn((await find()).body)).toEqual([result("a.example"), result("sub.a.example")]);
      expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ include_domains: ["a.example"] });
      const grant = { ...GRANT, domains: ["b.example"] };
      const refused = await openSearch({ grant, search: { allowedDomains: ["a.example"] } });
      expect(await refused.find()).toMatchObject({ status: 403, body: expect.stringContaining("allowed_domains") });
      expect(refused.asked).toEqual([]);
    });

    test("[EXEC-09] of the time", async () => {
      const waiting: (() => void)[] = [];
      const timers = {
        after: (_delayMs: number, work: () => void) => {
          waiting.push(work);
          return () => waiting.splice(waiting.indexOf(work), 1);
        },
      };
      // The provider has the question, and says nothing until the time is up.
      const answer = (): void => waiting.at(-1)?.();
      const { find } = await openSearch({ timers, answer });
      expect(await find()).toMatchObject({ status: 403, body: expect.stringContaining("timeout_seconds") });
    });

    test("[EXEC-09] of searches a minute", async () => {
      const { find, asked } = await openSearch({ perMinute: 2 });
      const statuses = [(await find()).status, (await find()).status, (await find()).status];
      expect([statuses, asked.length]).toEqual([[200, 200, 403], 2]);
    });
  });

  test.each<[string, Answering]>([
    ["no JSON", (response) => response.end("<html>")],
    ["another shape", (response) => response.end('{"results":[{"title":1}]}')],
    ["a fault", (response) => response.writeHead(500).end('{"results":[]}')],
    ["a redirect", (response) => response.writeHead(302, { location: "https://evil.example/" }).end()],
    [
      "far too much",
      (response) => response.end(JSON.stringify({ results: [result("a.example", { content: "x".repeat(2e6) })] })),
    ],
    ["nothing", (response) => void response.destroy()],
  ])("an answer that is %s is none, and the key is in no word about it", async (_what, answer) => {
    const { find, asked } = await openSearch({ answer });
    const found = await find();
    expect(found).toMatchObject({ status: 403, body: expect.stringContaining("did not answer as it should") });
    expect(found.body).not.toContain(KEY);
    expect(asked).toHaveLength(1);
  });

  test("a provider whose name stands for this machine is not asked", async () => {
    const { find, asked, uses } = await openSearch({ addresses: ["127.0.0.1"] });
    expect((await find()).status).toBe(403);
    expect(asked).toEqual([]);
    expect(uses).toMatchObject([{ kind: "refused", reason: "address_refused" }]);
  });

  test("whoever cannot prove to be the provider gets neither the key nor the query", async () => {
    const heard: string[] = [];
    const impostor = createServer({ key: IMPOSTOR_KEY, cert: IMPOSTOR_CERT }, (request) =>
      heard.push(request.url ?? ""),
    );
    await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void impostor.close());
    const { port } = impostor.address() as AddressInfo;
    const network = { ...internetOf({ "api.tavily.com": ["93.184.215.14"] }, port), secure: systemNetwork.secure };
    const config = { ...CONFIG, search: SEARCH };
    const { say } = await openDoor({ hosts: [], network, config, search: GRANT });
    expect(await (await say(pageOf(DOOR))).whole()).toContain("did not answer as it should");
    expect(heard).toEqual([]);
  });
});
