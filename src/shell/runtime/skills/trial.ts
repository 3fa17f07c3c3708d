import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, LIMITS, ok, oneLine, type Result } from "#base";
import { defaultSandboxConfig, isSkillCode, isSkillScript, sandboxWords, type SandboxConfig } from "#model";
import type { Sandboxes, SandboxSpace, SkillTree } from "#ports";
import { NODE, scriptCommand, scriptPlace, SKILLS_PLACE } from "#tools";
import { trialArguments, type SkillManifest, type SyntaxFact } from "#work";

export type TrialDeps = {
  readonly sandboxes: Sandboxes;
  readonly space: { readonly memoryMb: number; readonly cpuSeconds: number };
};

/** Skills laid out for a sandbox: copies of the bytes that were looked at, each in a folder of its name. */
export async function laySkills(
  sandboxes: Sandboxes,
  { usual, skills }: { readonly usual: SandboxConfig; readonly skills: readonly Laid[] },
): Promise<Result<SandboxSpace, string>> {
  const opened = await sandboxes.open(usual);
  if (!opened.ok) {
    const { what, fix } = sandboxWords(opened.error);
    return err(`Nothing could run: ${what}. Fix: ${fix}`);
  }
  for (const { name, tree } of skills) {
    for (const { path, bytes, executable } of tree.files) {
      const target = join(opened.value.workspace, name, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o755 });
      await writeFile(target, bytes, { mode: executable ? 0o555 : 0o444 });
    }
  }
  return ok(opened.value);
}
type Laid = { readonly name: string; readonly tree: SkillTree };

/** An empty workspace with exactly these skills to read. */
async function openWith({ sandboxes, space }: TrialDeps, laid: Laid): Promise<Result<Opened, string>> {
  const usual = defaultSandboxConfig(space);
  const skills = await laySkills(sandboxes, { usual, skills: [laid] });
  if (!skills.ok) return skills;
  const limits = { ...usual.limits, timeoutMs: LIMITS.skillTrialMs };
  const readPaths = [{ path: skills.value.workspace, as: SKILLS_PLACE }];
  const opened = await sandboxes.open({ ...usual, readPaths, limits });
  const close = async (): Promise<void> => {
    if (opened.ok) await opened.value.close();
    await skills.value.close();
  };
  if (opened.ok) return ok({ space: opened.value, close });
  await close();
  return err(sandboxWords(opened.error).what);
}
type Opened = { readonly space: SandboxSpace; readonly close: () => Promise<void> };

const PY_PARSE =
  "import ast,sys\ntry:\n ast.parse(open(sys.argv[1],'rb').read())\nexcept SyntaxError as e:\n print(e.lineno or 0)\n sys.exit(3)";

const parserOf = (path: string): readonly string[] =>
  path.endsWith(".py") ? ["python3", "-I", "-c", PY_PARSE, path] : [NODE, "--check", path];

/** Prints every path whose text parses. A module that nobody links and a function that nobody calls run nothing. */
const JS_PARSE = `"use strict";
const { readFileSync } = require("node:fs");
const { compileFunction, SourceTextModule } = require("node:vm");
const given = ["exports", "require", "module", "__filename", "__dirname"];
for (const path of process.argv.slice(1)) {
  try {
    const text = readFileSync(path, "utf8");
    if (path.endsWith(".mjs")) new SourceTextModule(text);
    else compileFunction(text, given);
    process.stdout.write(path + "\\0");
  } catch {}
}`;
const JS_PARSER = [NODE, "--no-warnings", "--experimental-vm-modules", "--input-type=commonjs", "--eval", JS_PARSE];

/** What parsers say of every script; nothing of it is run. A parser that is not there has said nothing. [INST-02] */
export async function parseScripts(deps: TrialDeps, laid: Laid): Promise<ReadonlyMap<string, SyntaxFact>> {
  const scripts = laid.tree.files.filter(({ path }) => isSkillCode(path)).slice(0, LIMITS.skillScripts);
  if (scripts.length === 0) return new Map();
  const opened = await openWith(deps, laid);
  if (!opened.ok) return new Map(scripts.map(({ path }) => [path, { absent: oneLine(opened.error) }]));
  const { space } = opened.value;
  const facts = new Map<string, SyntaxFact>();
  const placeOf = (path: string): string => scriptPlace({ skill: laid.name, file: path });
  const accepted = await acceptedIn(space, { paths: scripts.map(({ path }) => placeOf(path)) });
  for (const { path } of scripts) {
    facts.set(path, accepted.has(placeOf(path)) ? "parsed" : await parsed(space, { path: placeOf(path) }));
  }
  await opened.value.close();
  return facts;
}

/**
 * Starting a Node takes longer than parsing a script, so one Node parses them all. Only its acceptance counts: each file
 * it does not accept goes to a parser of its own, which knows the line of the fault and whether a `.js` is a module.
 */
async function acceptedIn(
  space: SandboxSpace,
  { paths }: { readonly paths: readonly string[] },
): Promise<ReadonlySet<string>> {
  const scripts = paths.filter((path) => !path.endsWith(".py"));
  // A single one is parsed once either way.
  if (scripts.length < 2) return new Set();
  const ran = await space.run({ argv: [...JS_PARSER, ...scripts] });
  return new Set(ran.ok ? Buffer.from(ran.value.stdout.bytes).toString("utf8").split("\0") : []);
}

async function parsed(space: SandboxSpace, { path }: { readonly path: string }): Promise<SyntaxFact> {
  const ran = await space.run({ argv: parserOf(path) });
  if (!ran.ok) return { absent: sandboxWords(ran.error).what };
  const { end, stdout, stderr } = ran.value;
  if (end.kind !== "exit") return { absent: `the parser ended by ${end.kind}` };
  if (end.code === 0) return "parsed";
  const said = Buffer.concat([stdout.bytes, stderr.bytes]).toString("utf8");
  if (path.endsWith(".py"))
    return end.code === 3 ? { line: Number.parseInt(said, 10) || null } : { absent: "no python3" };
  const line = said.includes("SyntaxError") ? /\.[cm]?js:(\d+)/.exec(said)?.[1] : undefined;
  return said.includes("SyntaxError") ? { line: line === undefined ? null : Number(line) } : { absent: "no node" };
}

type Trying = Laid & { readonly manifest: SkillManifest };

/**
 * Runs every script once with what stands for its arguments, offline, in an empty workspace, and told that nothing is
 * meant. Answers with the first that did not end well, in words that begin with a code; null when all did. A script that
 * `script_args` describes ends well with code 0, and any other by ending at all. [INST-07]
 */
export async function tryScripts(deps: TrialDeps, { manifest, ...laid }: Trying): Promise<string | null> {
  const scripts = laid.tree.files.filter(({ path }) => isSkillScript(path));
  if (scripts.length === 0) return null;
  const opened = await openWith(deps, laid);
  if (!opened.ok) return `sandbox_unavailable: ${oneLine(opened.error)}`;
  try {
    for (const { path } of scripts) {
      const problem = await tried(opened.value.space, { path, laid, manifest });
      if (problem !== null) return problem;
    }
    return null;
  } finally {
    await opened.value.close();
  }
}

type One = { readonly path: string; readonly laid: Laid; readonly manifest: SkillManifest };

async function tried(space: SandboxSpace, { path, laid, manifest }: One): Promise<string | null> {
  const isDescribed = Object.hasOwn(manifest.scriptArgs, path);
  const described = isDescribed ? (manifest.scriptArgs[path] ?? {}) : {};
  const env = { SILAS_DRY_RUN: "1", ...Object.fromEntries(manifest.env.map((name) => [name, ""])) };
  const stdin = Buffer.from(`${JSON.stringify(trialArguments(described))}\n`);
  const ran = await space.run({ argv: scriptCommand({ skill: laid.name, file: path }), env, stdin });
  if (!ran.ok) return `dry_run_failed: ${path}: ${oneLine(sandboxWords(ran.error).what)}`;
  const { end, stderr } = ran.value;
  // One that is not described may want arguments that nobody knows here; then it ends with a code of its own.
  if (end.kind === "exit" && (end.code === 0 || !isDescribed)) return null;
  const said = oneLine(Buffer.from(stderr.bytes).toString("utf8").trim().split("\n").at(-1) ?? "").slice(0, 200);
  return `dry_run_failed: ${path} ended with ${end.kind === "exit" ? `code ${end.code}` : end.kind}${said === "" ? "" : `: ${said}`}`;
}
