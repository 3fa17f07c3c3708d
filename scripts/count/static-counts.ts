/** Counts duplicated mechanisms by reading the source as text. A name that no longer exists is not counted. */
import { posix } from "node:path";
import { blanked, closingOf, functionsIn, identifiersIn, lineAt, type NamedFunction, type Sources } from "./code.ts";

type Found = { readonly name: string; readonly place: string };
export type Count = { readonly title: string; readonly number: number; readonly found: readonly Found[] };

type File = { readonly path: string; readonly code: string };

const productFiles = (sources: Sources): readonly File[] =>
  [...sources]
    .filter(([path]) => path.startsWith("src/") && path.endsWith(".ts") && !/\.(?:test|fixture)\.ts$/.test(path))
    .map(([path, source]) => ({ path, code: blanked(source) }));

export function staticCounts(sources: Sources): readonly Count[] {
  const files = productFiles(sources);
  return [
    modelCallers(sources, files),
    loops(files),
    toolTables(sources, files),
    wrappers(files),
    planReaders(sources, files),
    twins(files),
  ];
}

const placeOf = ({ path, code }: File, index: number): string => `${path}:${lineAt(code, index)}`;
const counted = (title: string, found: readonly Found[]): Count => ({ title, number: found.length, found });

const GATEWAY_CALL = /\b(?:models|modelGateway)\s*\.\s*(?:ask|call|stream|generate)\s*\(/g;

/**
 * Folders from which a model is asked: those that call the gateway itself, or a function that does so for them. The
 * file of such a function counts by its callers alone.
 */
function modelCallers(sources: Sources, files: readonly File[]): Count {
  const outside = files.filter(({ path }) => !path.includes("/gateway/"));
  const askers = outside.flatMap((file) => {
    const names = askersIn(file);
    return names.length === 0 ? [] : [{ path: file.path, names }];
  });
  const found = outside.flatMap((file) =>
    askers.flatMap(({ path, names }) =>
      names
        .filter((name) => isImported(sources.get(file.path) ?? "", { name, of: path, into: file.path }))
        .flatMap((name) => callsOf(file, name)),
    ),
  );
  const unused = askers.filter(({ names }) => !found.some(({ name }) => names.includes(name)));
  const direct = unused.flatMap(({ path, names }) => names.map((name) => ({ name, place: path })));
  const sites = [...found, ...direct];
  const folders = new Set(sites.map(({ place }) => posix.dirname(place)));
  return { title: "folders from which a model is asked", number: folders.size, found: sites };
}

/** Functions of a file that call the gateway, and those beside them that call these. */
function askersIn({ code }: File): readonly string[] {
  const functions = functionsIn(code);
  const calls = [...code.matchAll(GATEWAY_CALL)].map(({ index }) => index);
  const names = new Set(functions.filter((one) => calls.some((at) => isInside(one, at))).map(({ name }) => name));
  const callers = functions.filter(({ start, end }) =>
    [...names].some((asker) => new RegExp(`(?<!function )\\b${asker}\\(`).test(code.slice(start, end))),
  );
  for (const { name } of callers) names.add(name);
  return calls.length > 0 && names.size === 0 ? ["(the whole file)"] : [...names];
}

const isInside = ({ start, end }: NamedFunction, at: number): boolean => start < at && at < end;

type Naming = { readonly name: string; readonly of: string; readonly into: string };

const isImported = (source: string, { name, of, into }: Naming): boolean =>
  importsOf(source).some(
    ({ names, from }) => names.includes(name) && (from.startsWith("#") || posix.join(posix.dirname(into), from) === of),
  );

type Import = { readonly names: readonly string[]; readonly from: string };

const importsOf = (source: string): readonly Import[] =>
  [...source.matchAll(/\bimport\s+\{([^}]*)\}\s+from\s+"([^"]+)"/g)].map(([, names = "", from = ""]) => ({
    names: names.split(",").map((name) => name.trim()),
    from,
  }));

const callsOf = (file: File, name: string): readonly Found[] =>
  [...file.code.matchAll(new RegExp(`\\b${name}\\(`, "g"))].map(({ index }) => ({ name, place: placeOf(file, index) }));

/** Rooms whose timers watch one program, socket or chat and schedule nothing. */
const OF_ONE_PEER = /\/(?:sandbox|gateway|channels|http|telegram)\//;

function loops(files: readonly File[]): Count {
  const found = files
    .filter(({ path }) => !OF_ONE_PEER.test(path))
    .flatMap((file) => {
      const functions = functionsIn(file.code);
      const [first] = [...file.code.matchAll(/\btimers\s*\.\s*after\s*\(/g)].flatMap((match) => {
        const name = loopAt(file.code, { functions, call: match.index, open: match.index + match[0].length - 1 });
        return name === null ? [] : [{ name, place: placeOf(file, match.index) }];
      });
      return first === undefined ? [] : [first];
    });
  return counted("files that start a periodic loop", found);
}

type Timer = { readonly functions: readonly NamedFunction[]; readonly call: number; readonly open: number };

/** The function that a timer is set in, when what the timer calls leads back to it; null for a timer of one shot. */
function loopAt(code: string, { functions, call, open }: Timer): string | null {
  const around = functions.filter((one) => isInside(one, call)).toSorted((a, b) => b.start - a.start);
  const own = around[0];
  if (own === undefined) return null;
  const seen = new Set<string>();
  const queue = [...identifiersIn(code.slice(open, closingOf(code, open)))];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (name === own.name) return own.name;
    if (seen.has(name) || around.some((one) => one.name === name)) continue;
    seen.add(name);
    for (const { start, end } of functions.filter((one) => one.name === name))
      queue.push(...identifiersIn(code.slice(start, end)));
  }
  return null;
}

type Wanted = { readonly name: string; readonly declared: RegExp };

const WRAPPERS: readonly Wanted[] = [
  "withSkills",
  "withMessageDecisions",
  "withAskedSecrets",
  "withSkillDecisions",
].map((name) => ({ name, declared: new RegExp(`\\bexport (?:const|(?:async )?function) ${name}\\b`) }));

/** The registry with its entries, and the performers of those that have no program, which are found by name. */
const OF_TOOLS = /^src\/(?:core|engine)\/tools\//;
const TOOL_TABLE = /\bconst TOOLS = \{([^}]*)\}/;

/**
 * The registry, and every other file that lists or compares with two tools or more: it has to agree with the registry.
 * A plan that is written in code names tools as well, each after `tool:`, and describes none of them.
 */
function toolTables(sources: Sources, files: readonly File[]): Count {
  const registries = files.flatMap((file) => {
    const match = TOOL_TABLE.exec(file.code);
    return match === null ? [] : [{ name: "TOOLS", place: placeOf(file, match.index), entries: match[1] ?? "" }];
  });
  const tools = registries.flatMap(({ entries }) => entries.match(/\b[a-z]+_[a-z_]+(?=:)/g) ?? []);
  const copies = files
    .filter(({ path }) => !OF_TOOLS.test(path))
    .flatMap(({ path }) => {
      const code = (sources.get(path) ?? "").replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
      const named = tools.filter((tool) => new RegExp(`(?<!\\btool: )"${tool}"|\\b${tool}\\s*[:(]`).test(code));
      return named.length < 2 ? [] : [{ name: named.join(" "), place: path }];
    });
  return counted("tables that describe tools", [...registries.map(({ name, place }) => ({ name, place })), ...copies]);
}

const wrappers = (files: readonly File[]): Count =>
  counted("wrappers through which a decision takes effect", declaredIn(files, WRAPPERS));

const declaredIn = (files: readonly File[], wanted: readonly Wanted[]): readonly Found[] =>
  wanted.flatMap(({ name, declared }) =>
    files.flatMap((file) => {
      const match = declared.exec(file.code);
      return match === null ? [] : [{ name, place: placeOf(file, match.index) }];
    }),
  );

/** The parser, and the functions that only pass a plan to it. */
const PARSERS = ["parsePlan", "readPlan", "projectProposal"];

/** Files that have a plan parsed on its way from the proposal to its programs. */
function planReaders(sources: Sources, files: readonly File[]): Count {
  const declared = new RegExp(`\\bfunction (?:${PARSERS.join("|")})\\(`);
  const found = files
    .filter(({ path, code }) => !path.startsWith("src/cli/") && !declared.test(code))
    .flatMap((file) => {
      const [first] = PARSERS.filter((name) =>
        importsOf(sources.get(file.path) ?? "").some(({ names }) => names.includes(name)),
      ).flatMap((name) => callsOf(file, name));
      return first === undefined ? [] : [first];
    });
  return counted("files that have a plan parsed", found);
}

function twins(files: readonly File[]): Count {
  const pattern = /\bexport (?:const|(?:async )?function) (createMemory[A-Z]\w*Store)\b/g;
  const found = files.flatMap((file) =>
    [...file.code.matchAll(pattern)].map((match) => ({ name: match[1] ?? "", place: placeOf(file, match.index) })),
  );
  return counted("in-memory twins of a store", found);
}
