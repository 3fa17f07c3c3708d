import { err, ok, type Result } from "#base";
import { TOKEN_CLASSES, type ChangeToken, type TokenClass } from "#model";

type TokenError = {
  readonly code: "unknown_token_class" | "empty_token_value" | "invalid_token_namespace" | "invalid_token_value";
};

/** The identity of a token, for dedupe, index and diagnostics. [TOKEN-02] */
export function tokenKey({ tokenClass, tokenNamespace, tokenValue }: ChangeToken): string {
  return `${tokenClass}|${tokenNamespace ?? "-"}|${tokenValue}`;
}

/**
 * A token, or why there is no such token. The value comes last in the key and may hold anything for a subtype; the
 * parts before it hold no delimiter, so two different tokens never share a key. [TOKEN-01, TOKEN-02]
 */
export function createToken(token: ChangeToken): Result<ChangeToken, TokenError> {
  const { tokenClass, tokenValue, tokenNamespace } = token;
  if (!TOKEN_CLASSES.includes(tokenClass)) return err({ code: "unknown_token_class" });
  if (tokenValue === "") return err({ code: "empty_token_value" });
  if (tokenClass === "subtypeToken") {
    const isNamed = tokenNamespace !== undefined && isNamespace(tokenNamespace);
    return isNamed ? ok({ tokenClass, tokenNamespace, tokenValue }) : err({ code: "invalid_token_namespace" });
  }
  if (tokenNamespace !== undefined) return err({ code: "invalid_token_namespace" });
  return tokenValue.includes("|") ? err({ code: "invalid_token_value" }) : ok({ tokenClass, tokenValue });
}

/** The same for a token that came over a border. */
export function parseToken(input: unknown): Result<ChangeToken, TokenError> {
  const fields = new Map<string, unknown>(typeof input === "object" && input !== null ? Object.entries(input) : []);
  const [tokenClass, tokenValue, tokenNamespace] = [...MEMBERS].map((name) => fields.get(name));
  if (!isTokenClass(tokenClass)) return err({ code: "unknown_token_class" });
  if (typeof tokenValue !== "string") return err({ code: "empty_token_value" });
  if ([...fields.keys()].some((name) => !MEMBERS.has(name))) return err({ code: "invalid_token_value" });
  if (tokenNamespace === undefined) return createToken({ tokenClass, tokenValue });
  if (typeof tokenNamespace !== "string") return err({ code: "invalid_token_namespace" });
  return createToken({ tokenClass, tokenValue, tokenNamespace });
}

type TokenFilterError = { readonly code: "malformed_token"; readonly token: string };

/**
 * Reads the text forms `k:KEY`, `id:ID` and `sub:NAMESPACE:VALUE`. Anything else is refused by name and never taken
 * for a token of another class. [TOKEN-05, TOKEN-06]
 */
export function parseTokenFilter(text: string): Result<ChangeToken, TokenFilterError> {
  const token = tokenOfText(text);
  const created = token === null ? null : createToken(token);
  return created?.ok === true ? ok(created.value) : err({ code: "malformed_token", token: text });
}

/** Reads many: what is malformed is named, and the others still count. [TOKEN-06] */
export function parseTokenFilters(texts: readonly string[]): {
  readonly tokens: readonly ChangeToken[];
  readonly rejected: readonly TokenFilterError[];
} {
  const results = texts.map(parseTokenFilter);
  return {
    tokens: uniqueTokens(results.flatMap((result) => (result.ok ? [result.value] : []))),
    rejected: results.flatMap((result) => (result.ok ? [] : [result.error])),
  };
}

/** Each token once, by its key, in the order of the keys. */
export function uniqueTokens(tokens: readonly ChangeToken[]): readonly ChangeToken[] {
  const byKey = new Map(tokens.map((token) => [tokenKey(token), token]));
  return [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? []);
}

const MEMBERS: ReadonlySet<string> = new Set(["tokenClass", "tokenValue", "tokenNamespace"]);

const isTokenClass = (value: unknown): value is TokenClass => TOKEN_CLASSES.some((known) => known === value);

const isNamespace = (text: string): boolean => text !== "" && text !== "-" && !/[|:]/.test(text);

function tokenOfText(text: string): ChangeToken | null {
  if (text.startsWith("k:")) return { tokenClass: "semanticKey", tokenValue: text.slice(2) };
  if (text.startsWith("id:")) return { tokenClass: "entityId", tokenValue: text.slice(3) };
  if (!text.startsWith("sub:")) return null;
  const colon = text.indexOf(":", 4);
  if (colon === -1) return null;
  return { tokenClass: "subtypeToken", tokenNamespace: text.slice(4, colon), tokenValue: text.slice(colon + 1) };
}
