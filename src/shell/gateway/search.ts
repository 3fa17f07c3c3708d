import { performance } from "node:perf_hooks";
import * as z from "zod/mini";
import { err, ok, parseStrictJson, type Result } from "#base";
import {
  parseHostRule,
  SEARCH_HOST,
  type Config,
  type SearchGrant,
  type SearchRefusal,
  type SearchResult,
} from "#model";
import type { EgressGrant, Timers } from "#ports";
import { exchange } from "./exchange.ts";
import type { Network, Secured } from "./network.ts";
import { type Connecting, createReach } from "./reach.ts";

export type SearchConfig = {
  readonly search: Config["search"];
  readonly limits: Pick<Config["limits"], "webSearchCallsPerMinutePerScope">;
};

export type Search = (
  grant: SearchGrant,
  onUse: EgressGrant["onUse"],
) => Promise<Result<readonly SearchResult[], SearchRefusal>>;

type SearchOptions = { readonly config: SearchConfig; readonly network: Network; readonly timers: Timers };

/** Of each result; a page that says more is read by other means. */
const FIELD_CHARS = 2_000;
const ANSWER_BYTES = 1024 * 1024;
const MINUTE_MS = 60_000;

/**
 * The search of a Tavily-compatible provider. It exists only with a provider and a key. The query is the approved one,
 * every limit holds on this side whatever the provider does, and the key goes to the provider's host and nowhere else.
 * [EXEC-08] [EXEC-09] [EXEC-10]
 */
export function createSearch({ config, network, timers }: SearchOptions): Search {
  const { provider, apiKey, maxQueryChars, allowedDomains, timeoutSeconds } = config.search;
  const begun: number[] = [];
  return async (grant, onUse) => {
    if (provider === null || apiKey === null) return err("search_not_set_up");
    if ([...grant.query].length > maxQueryChars) return err("search_query_too_long");
    if (!grant.domains.every((domain) => allowedDomains.length === 0 || isWithin(domain, allowedDomains))) {
      return err("search_domain_refused");
    }
    const now = performance.now();
    while ((begun[0] ?? now) <= now - MINUTE_MS) begun.shift();
    if (begun.length >= config.limits.webSearchCallsPerMinutePerScope) return err("search_too_often");
    begun.push(now);
    const domains = grant.domains.length > 0 ? grant.domains : allowedDomains;
    const maxResults = Math.min(grant.maxResults ?? config.search.maxResults, config.search.maxResults);
    const wanted = { query: grant.query, max_results: maxResults, include_domains: domains };
    const timeoutMs = timeoutSeconds * 1000;
    const connected = await connect(onUse, { network, timers, connectMs: timeoutMs });
    if (connected === null) return err("search_failed");
    const answer = await exchange(connected, {
      timers,
      timeoutMs,
      path: "/search",
      headers: { host: PROVIDER.host, authorization: `Bearer ${apiKey.reveal()}` },
      body: JSON.stringify(wanted),
      answerBytes: ANSWER_BYTES,
    });
    const { bytesWritten: bytesSent, bytesRead: bytesReceived } = connected.socket;
    await onUse({ kind: "ended", ...PROVIDER, requests: 1, bytesSent, bytesReceived });
    if (!answer.ok) return err(answer.error === "timeout" ? "search_timeout" : "search_failed");
    // A redirect is no answer: the key was saved for this host.
    if (answer.value.status !== 200) return err("search_failed");
    const results = readResults(answer.value.body.toString("utf8"));
    if (results === null) return err("search_failed");
    return ok(results.filter(({ url }) => isFrom(url, domains)).slice(0, maxResults));
  };
}

const PROVIDER = parseHostRule(SEARCH_HOST) ?? { host: "", port: 0 };

/** The same way as a run's: looked up once, of the open internet, recorded before anything leaves. */
async function connect(onUse: EgressGrant["onUse"], connecting: Connecting): Promise<Secured | null> {
  const reach = createReach({ ...connecting, ownNames: [], grant: { hosts: [PROVIDER], onUse } });
  const reached = await reach(PROVIDER);
  if (!reached.ok) await onUse({ kind: "refused", target: PROVIDER, reason: reached.error });
  return reached.ok ? connecting.network.secure(reached.value, PROVIDER.host) : null;
}

const answerSchema = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string() })),
});

const short = (field: string): string => field.slice(0, FIELD_CHARS).toWellFormed();

function readResults(text: string): readonly SearchResult[] | null {
  const json = parseStrictJson(text);
  const answer = answerSchema.safeParse(json.ok ? json.value : null);
  if (!answer.success) return null;
  return answer.data.results.map(({ title, url, content }) => ({
    title: short(title),
    url: short(url),
    content: short(content),
  }));
}

/** Whether a page is of one of these domains; what is no address of a page is of none. */
function isFrom(url: string, domains: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const isPage = protocol === "https:" || protocol === "http:";
  return isPage && (domains.length === 0 || isWithin(hostname, domains));
}

const isWithin = (host: string, domains: readonly string[]): boolean =>
  domains.some((domain) => host === domain.toLowerCase() || host.endsWith(`.${domain.toLowerCase()}`));
