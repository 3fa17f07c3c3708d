import { assert, asyncProperty, constantFrom, stringMatching } from "fast-check";
import { describe, expect, test } from "vitest";
import { secretText, type SearchGrant } from "#model";
import { CONFIG, internetOf, serverOf } from "./gateway.fixture.ts";
import { createSearch } from "./search.ts";

const GRANT: SearchGrant = { query: "height of the tower", maxResults: null, domains: [] };
const ALLOWED = ["example.com", "Docs.Other.org"];
const timers = { after: () => () => undefined };

/** A provider that sends these addresses whatever it is asked for; which of them get through, and what was asked. */
async function openSearch(allowedDomains: readonly string[]) {
  const sent: { urls: readonly string[] } = { urls: [] };
  const asked: string[] = [];
  const port = await serverOf((request, response) => {
    request.setEncoding("utf8").on("data", (part: string) => asked.push(part));
    request.on("end", () =>
      response.end(JSON.stringify({ results: sent.urls.map((url) => ({ title: "", url, content: "" })) })),
    );
  });
  const network = internetOf({ "api.tavily.com": ["93.184.215.14"] }, port);
  const search = createSearch({
    config: {
      search: {
        ...CONFIG.search,
        provider: "tavily",
        apiKey: secretText("k"),
        maxResults: 100,
        allowedDomains: [...allowedDomains],
      },
      limits: { webSearchCallsPerMinutePerScope: 10_000 },
    },
    network,
    timers,
  });
  const find = async (urls: readonly string[], domains: readonly string[] = []) => {
    sent.urls = urls;
    const found = await search({ ...GRANT, domains: [...domains] }, async () => true);
    return found.ok ? found.value.map(({ url }) => url) : found.error;
  };
  return { find, asked, network };
}

const WITHIN = [
  ..."https://example.com/p http://example.com https://EXAMPLE.com:8443/x?y#z https://a.b.example.com/".split(" "),
  ..."https://docs.other.org/ https://DOCS.other.ORG/ https://x.docs.other.org/ https://evil.example@example.com/".split(
    " ",
  ),
];
const OUTSIDE = [
  ..."https://evil-example.com/ https://www.example.com.evil/ https://example.com.evil/ https://com/".split(" "),
  ..."https://example.com.evil.example/ https://example.com-evil.example/ https://example.co/ https://xample.com/".split(
    " ",
  ),
  ..."https://other.org/ https://xdocs.other.org/ https://docs.other.org.evil/ https://evil.example/example.com".split(
    " ",
  ),
  ..."https://example.com@evil.example/ https://evil.example?.example.com https://evil.example#.example.com".split(" "),
  ..."https://evil.example\\.example.com https://example.com%2eevil.example/ https://example.com%00.evil.example/".split(
    " ",
  ),
  ..."https://exаmple.com/ https://example.com./ ftp://example.com/ javascript://example.com/%0aalert(1)".split(" "),
  ..."data:text/html,example.com mailto:x@example.com //example.com/ example.com https://example.com:99999/".split(" "),
];

describe("[EXEC-09] the domains of a search", () => {
  test("a result is of an allowed domain or of one below it, however its address is written", async () => {
    const { find } = await openSearch(ALLOWED);
    expect(await find([...OUTSIDE, ...WITHIN, ...OUTSIDE])).toEqual(WITHIN);
    expect(await find(["", "https://", ...OUTSIDE])).toEqual([]);
  });

  test("nothing before or after a domain makes another one of it, but for a part below it", async () => {
    const { find } = await openSearch(ALLOWED);
    const part = stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
    await assert(
      asyncProperty(constantFrom(...ALLOWED), part, async (domain, word) => {
        const urls = [`${word}.${domain}`, `${word}${domain}`, `${word}-${domain}`, `${domain}.${word}`].map(
          (host) => `https://${host}/`,
        );
        expect(await find([`https://${domain}/`, ...urls])).toEqual([`https://${domain}/`, urls[0]]);
        for (const host of [`${word}${domain}`, `${word}-${domain}`, `${domain}.${word}`, `${domain}${word}`]) {
          expect(await find([], [host.toLowerCase()]), host).toBe("search_domain_refused");
        }
      }),
      { numRuns: 30 },
    );
  });

  test("a step may name fewer than are allowed, and none beside them; then nothing is asked", async () => {
    const { find, asked, network } = await openSearch(ALLOWED);
    for (const domains of [["evil-example.com"], ["com"], ["example.com", "example.com.evil"], ["evil.example"]]) {
      expect(await find([], domains)).toBe("search_domain_refused");
    }
    expect([asked, network.dialled]).toEqual([[], []]);
    const urls = [
      "https://example.com/",
      "https://a.example.com/",
      "https://b.example.com/",
      "https://docs.other.org/",
    ];
    expect(await find(urls, ["a.example.com", "docs.other.org"])).toEqual([urls[1], urls[3]]);
    expect(JSON.parse(asked.join(""))).toMatchObject({ include_domains: ["a.example.com", "docs.other.org"] });
  });

  test("where none is set, every page is found, and a step's own domains hold all the same", async () => {
    const { find } = await openSearch([]);
    const pages = OUTSIDE.filter((url) => URL.canParse(url) && /^https?:/.test(url));
    expect(await find(OUTSIDE)).toEqual(pages);
    expect(await find([...WITHIN, ...OUTSIDE], ["docs.other.org"])).toEqual(WITHIN.slice(4, 7));
  });
});
