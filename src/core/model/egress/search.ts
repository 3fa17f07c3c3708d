/** Where `web_search` asks; the card of a plan that searches names it. */
export const SEARCH_HOST = "api.tavily.com:443";
/** The name under which a run finds the search of its step behind the gateway. It exists nowhere else. */
export const SEARCH_DOOR = "search.silas";

/** What one step may ask, exactly as it was approved; the limits of the configuration narrow it further. */
export type SearchGrant = {
  readonly query: string;
  readonly maxResults: number | null;
  /** Only results from here; empty for anywhere. */
  readonly domains: readonly string[];
};

/** One result. Every word of it comes from outside. */
export type SearchResult = { readonly title: string; readonly url: string; readonly content: string };

export type SearchRefusal =
  | "search_not_set_up"
  | "search_query_too_long"
  | "search_domain_refused"
  | "search_too_often"
  | "search_failed"
  | "search_timeout";

export const searchWords = (refusal: SearchRefusal): string => REFUSALS[refusal];

const REFUSALS: { readonly [R in SearchRefusal]: string } = {
  search_not_set_up: "no search provider is set up: set search.provider and SEARCH_API_KEY",
  search_query_too_long: "the query is longer than search.max_query_chars",
  search_domain_refused: "a domain of the step is not among search.allowed_domains",
  search_too_often: "there were as many searches this minute as limits.web_search_calls_per_minute_per_scope allows",
  search_failed: "the provider did not answer as it should",
  search_timeout: "the provider did not answer within search.timeout_seconds",
};
