/** One door in, one door out: which rooms open a listening socket, and which a connection. */
import { isTest, lineAt, scriptsOf, type Check } from "./project.ts";
import { importsOf, readSource } from "./source.ts";

/** The ways in. */
const LISTENING_ROOM = "src/shell/channels/";
/** The way out. */
const CONNECTING_ROOM = "src/shell/gateway/";

export const onlyChannelsListen: Check = (project) =>
  outside(project, { room: LISTENING_ROOM, kind: "listens", message: "opens a listening socket; channels do that" });

export const onlyTheGatewayConnects: Check = (project) =>
  outside(project, { room: CONNECTING_ROOM, kind: "connects", message: "opens a connection; the gateway does that" });

type Kind = "listens" | "connects";
type Rule = { readonly room: string; readonly kind: Kind; readonly message: string };

const outside = (project: Parameters<Check>[0], { room, kind, message }: Rule) =>
  scriptsOf(project)
    .filter(([path]) => path.startsWith("src/") && !path.startsWith(room) && !isTest(path))
    .flatMap(([path, source]) =>
      [...usesIn(source)]
        .filter((use) => use.kinds.includes(kind))
        .map(({ index }) => ({ path: `${path}:${lineAt(source, index)}`, message })),
    );

type Use = { readonly index: number; readonly kinds: readonly Kind[] };

const BOTH: readonly Kind[] = ["listens", "connects"];
const MODULE = /^(?:node:)?(?:https?|http2|net|tls|dgram|dns|dns\/promises)$/;
const PACKAGES: Readonly<Record<string, readonly Kind[]>> = {
  fastify: ["listens"],
  undici: ["connects"],
  ws: BOTH,
};
/** Exports of those modules that open nothing by themselves; any other is taken for both. */
const HARMLESS = new Set(["isIP", "isIPv4", "isIPv6", "createSecureContext", "STATUS_CODES", "METHODS"]);
const NAMED: Readonly<Record<string, readonly Kind[]>> = {
  createServer: ["listens"],
  createSecureServer: ["listens"],
  Server: ["listens"],
  request: ["connects"],
  get: ["connects"],
  connect: ["connects"],
  createConnection: ["connects"],
  Socket: ["connects"],
  TLSSocket: ["connects"],
  lookup: ["connects"],
};
const GLOBALS: readonly (readonly [RegExp, readonly Kind[]])[] = [
  [/(?<![.\w$])fetch\(/g, ["connects"]],
  [/\bnew\s+(?:WebSocket|EventSource)\(/g, ["connects"]],
  // Without an address it is a method of ours.
  [/\.listen\(\s*[^)\s]/g, ["listens"]],
];

function usesIn(source: string): readonly Use[] {
  const { code } = readSource(source);
  const global = GLOBALS.flatMap(([pattern, kinds]) =>
    [...code.matchAll(pattern)].map(({ index }) => ({ index, kinds })),
  );
  return [...global, ...importedIn(source), ...askedIn(source)];
}

function importedIn(source: string): readonly Use[] {
  return importsOf(source).flatMap(({ specifier, index }) => {
    const [, type, clause = ""] = /^(?:import|export)\s+(type\b)?([^"'();]*)\bfrom\b/.exec(source.slice(index)) ?? [];
    if (type !== undefined) return [];
    const kinds =
      PACKAGES[specifier] ?? (MODULE.test(specifier) ? kindsOf(/^\s*\{([^}]*)\}\s*$/.exec(clause)?.[1]) : []);
    return [{ index, kinds }];
  });
}

/** `const { a: b } = process.getBuiltinModule("node:x")`, `process.getBuiltinModule("node:x").a`, or a name for it. */
const ASKED = /(?:\{([^{}]*)\}\s*=\s*)?process\.getBuiltinModule\(\s*(?:["']([^"']*)["']|[^)]*)\s*\)(?:\.(\w+))?/g;

function askedIn(source: string): readonly Use[] {
  const { code, text } = readSource(source);
  return [...text.matchAll(ASKED)]
    .filter((match) => code.slice(match.index, match.index + match[0].length).includes("getBuiltinModule"))
    .filter(([, , module]) => module === undefined || MODULE.test(module))
    .map(({ index, 1: bound, 3: member }) => ({ index, kinds: kindsOf(member ?? bound) }));
}

/** The kinds of sockets that names such as `a, b as c, d: e, type F` open; no list at all is the whole module. */
function kindsOf(names: string | undefined): readonly Kind[] {
  if (names === undefined) return BOTH;
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => name.split(/\s+as\s+|\s*:\s*/)[0] ?? "")
    .flatMap((name) => NAMED[name] ?? (HARMLESS.has(name) ? [] : BOTH));
}
