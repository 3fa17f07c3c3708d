/** Records which product files run, and who calls a function, during a piece of work in this process. */
import { readFileSync } from "node:fs";
import { Session, type Debugger, type Profiler } from "node:inspector";
import { fileURLToPath } from "node:url";

const SOURCE = new URL("../../src/", import.meta.url).href;

type Post = <T>(method: string, params?: object) => Promise<T>;

type Inspector = {
  /** Product files in which a function ran. Evaluating a module does not count. */
  filesDuring(work: () => Promise<void>): Promise<readonly string[]>;
  /** For each call of the function the files that led to it, nearest first. */
  callersDuring(name: string, work: () => Promise<void>): Promise<readonly (readonly string[])[]>;
  close(): void;
};

export function openInspector(): Inspector {
  const session = new Session();
  session.connect();
  const post: Post = <T>(method: string, params: object = {}) =>
    new Promise<T>((resolve, reject) =>
      session.post(method, params, (error: Error | null, result?: object) =>
        error === null ? resolve(result as T) : reject(error),
      ),
    );
  return {
    async filesDuring(work) {
      await post("Profiler.enable");
      await post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      // Reading resets the counts, so that only calls from here on are reported.
      await post("Profiler.takePreciseCoverage");
      await work();
      const { result } = await post<Profiler.TakePreciseCoverageReturnType>("Profiler.takePreciseCoverage");
      await post("Profiler.stopPreciseCoverage");
      return result.filter(hasRun).map(({ url }) => pathOf(url));
    },
    callersDuring: (name, work) => callersDuring({ session, post }, { name, work }),
    close: () => session.disconnect(),
  };
}

function hasRun({ url, functions }: Profiler.ScriptCoverage): boolean {
  if (!url.startsWith(SOURCE)) return false;
  const { length } = readFileSync(fileURLToPath(url), "utf8");
  return functions.some(({ ranges: [range] }) => {
    const isModule = range !== undefined && range.startOffset === 0 && range.endOffset >= length;
    return range !== undefined && !isModule && range.count > 0;
  });
}

const pathOf = (url: string): string => `src/${url.slice(SOURCE.length)}`;

type Watched = { readonly name: string; readonly work: () => Promise<void> };

/** Sets a breakpoint whose condition records the stack and is never true, so nothing pauses. */
async function callersDuring(
  { session, post }: { readonly session: Session; readonly post: Post },
  { name, work }: Watched,
): Promise<readonly (readonly string[])[]> {
  const scripts = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => {
    if (params.url.startsWith(SOURCE)) scripts.set(params.url, params.scriptId);
  });
  const stacks: string[] = [];
  const noted = globalThis as { notedStacks?: string[] };
  noted.notedStacks = stacks;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  await post("Debugger.enable");
  try {
    const location = await bodyOf(post, { name, scripts });
    await post("Debugger.setBreakpoint", { location, condition: "globalThis.notedStacks.push(new Error().stack) < 0" });
    await work();
  } finally {
    await post("Debugger.disable");
    Error.stackTraceLimit = limit;
    delete noted.notedStacks;
  }
  return stacks.map(filesIn);
}

type Named = { readonly name: string; readonly scripts: ReadonlyMap<string, string> };

/** The first place inside of the function where a breakpoint may be. */
async function bodyOf(post: Post, { name, scripts }: Named): Promise<Debugger.BreakLocation> {
  for (const [url, scriptId] of scripts) {
    const source = readFileSync(fileURLToPath(url), "utf8");
    const declared = new RegExp(`\\bfunction ${name}\\(`).exec(source);
    if (declared === null) continue;
    const lines = source.slice(0, declared.index).split("\n").length;
    const start = { scriptId, lineNumber: lines, columnNumber: 0 };
    const { locations } = await post<Debugger.GetPossibleBreakpointsReturnType>("Debugger.getPossibleBreakpoints", {
      start,
      end: { ...start, lineNumber: lines + 10 },
    });
    const [first] = locations;
    if (first !== undefined) return first;
  }
  throw new Error(`${name} is declared in no file that was loaded`);
}

function filesIn(stack: string): readonly string[] {
  const files = [...stack.matchAll(/file:\/\/[^\s):]+/g)].map(([url]) => url).filter((url) => url.startsWith(SOURCE));
  return [...new Set(files.map(pathOf))];
}
