import { group, key, nullable, oneOf, required, type ConfigOf, type ValueKind } from "../config-nodes.ts";
import { longLine } from "./work-keys.ts";
import { shownLine } from "./work-kinds.ts";

/**
 * A secret that a step uses, by its name in the vault alone. INVARIANT: no field of it can hold the secret: what looks
 * like one is refused where a name is expected. [SECRET-04]
 */
export const CREDENTIAL = group({
  ref: required(secretName(), "Name of the secret, as `silas secrets list` shows it."),
  as: key(oneOf(["header", "pipe"]), {
    is: "header",
    doc: "`header`: the gateway adds it to requests for `host`. `pipe`: the program reads it once.",
  }),
  host: key(nullable(longLine("titleChars")), { is: null, doc: "The host it was saved for, which is one of `hosts`." }),
  header: key(headerName(), { is: "authorization", doc: "The header it stands in." }),
});
export type Credential = ConfigOf<typeof CREDENTIAL>;

/* @__NO_SIDE_EFFECTS__ */
function secretName(): ValueKind<string> {
  return shownLine({
    charsMax: 128,
    // The names Silas keeps for its own keys are nobody's credentials.
    pattern: /^(?!(?:owner|silas)-)[a-z0-9][a-z0-9._-]*$/,
    expected: "the name of a secret, as `silas secrets list` shows it",
  });
}

/* @__NO_SIDE_EFFECTS__ */
function headerName(): ValueKind<string> {
  return shownLine({
    charsMax: 64,
    // Headers that say where a message goes, how long it is or what a connection does are the gateway's own.
    pattern:
      /^(?!(?:accept-encoding|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$)(?!proxy-)[a-z][a-z0-9-]*$/,
    expected: "the name of a header in lower case, such as authorization or x-api-key",
  });
}
