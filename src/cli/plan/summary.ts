import { oneLine, type Sha256Hex } from "#base";
import {
  predicatesOf,
  SEARCH_HOST,
  type EscalationAction,
  type Expectation,
  type Gate,
  type Step,
  type VerificationCheck,
  type WorkItem,
} from "#model";
import { splitCommand, type Heading, type ParsedPlan, type PlanProjection } from "#work";
import { budgetLine } from "./budget-line.ts";
import { describeNotice } from "./words.ts";

type Shown = {
  readonly file: string;
  readonly parsed: ParsedPlan;
  readonly projection: PlanProjection;
  readonly hash: Sha256Hex;
};

const LABEL_CHARS = 11;
const HASH_CHARS = 16;
const SECTIONS_MAX = 20;

/** A plan as lines for people. Every line is made safe to show. */
export function describePlan({ file, parsed, projection, hash }: Shown): readonly string[] {
  const { item, headings, notices } = parsed;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["title", [item.title]],
    ["id", [item.id]],
    ["type", [`${item.type}, ${item.agent}, ${item.interactionMode}`]],
    ["belongs to", relationsOf(item)],
    ["schedule", item.schedule === null ? [] : [item.schedule]],
    ["budget", [budgetLine(item.budget)]],
    ["skills", item.skills.length === 0 ? [] : [item.skills.join(", ")]],
    ["steps", item.steps.map(describeStep)],
    ["may read", item.files.read],
    ["may change", item.files.write],
    ["may reach", hostsOf(projection)],
    ["secrets", item.steps.flatMap(secretsOf)],
    ["checks", item.verify.map(describeCheck)],
    ["gates", item.gates.map(describeGate)],
    ["access", Object.entries(item.accessLevels).map(([name, { tools }]) => `${name}: ${tools.join(", ")}`)],
    ["escalation", Object.entries(item.escalation).map(([name, escalation]) => describeEscalation(name, escalation))],
    ["failure", [`${item.onFailure}; when stuck: ${item.onStuck}`]],
    ["sections", headings.length === 0 ? [] : [sectionsOf(headings)]],
    ["hash", [`sha256 ${hash.slice(0, HASH_CHARS)}…`]],
    ["notice", notices.map(describeNotice)],
  ];
  return [`${file}: a plan that can be proposed`, ...rows.flatMap(([label, lines]) => labelled(label, lines))].map(
    oneLine,
  );
}

function describeStep({ name, run, tool, args, timeout, network }: Step): string {
  const what = [args["path"], args["query"]].filter((value) => typeof value === "string").map((value) => ` ${value}`);
  return `${name}: ${run ?? `${tool}${what.join("")}`} (${timeout} s${network ? ", network" : ""})`;
}

/** Where each secret goes; the secret itself is nowhere but in the vault. */
const secretsOf = ({ name: step, credentials }: Step): readonly string[] =>
  Object.entries(credentials).map(([name, { ref, as, host, header }]) => {
    const way =
      as === "header" ? `added by the gateway to requests for ${host}, as ${header}` : "read once by its program";
    return `${ref} (${name} of step ${step}, ${way})`;
  });

function hostsOf({ capabilities }: PlanProjection): readonly string[] {
  const { hosts } = capabilities as { readonly hosts: readonly string[] };
  return hosts.map((host) => (host === SEARCH_HOST ? `${host} (for web_search, which needs search.api_key)` : host));
}

function labelled(label: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${(index === 0 ? label : "").padEnd(LABEL_CHARS)}${line}`);
}

function sectionsOf(headings: readonly Heading[]): string {
  const shown = headings.slice(0, SECTIONS_MAX).map(({ text }) => text);
  const rest = headings.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(" · ");
}

function relationsOf(item: WorkItem): readonly string[] {
  const relations: readonly (readonly [string, readonly (string | null)[]])[] = [
    ["part of", [item.parent]],
    ["made by", [item.spawnedBy]],
    ["follows", [item.followUpOf]],
    ["after", item.dependsOn],
    ["children", item.tasks],
    ["domain", [item.domain]],
  ];
  return relations.flatMap(([word, ids]) => {
    const known = ids.filter((id) => id !== null);
    return known.length === 0 ? [] : [`${word} ${known.join(", ")}`];
  });
}

function describeCheck(check: VerificationCheck): string {
  const network = check.network ? "with network" : "no network";
  return `${check.name}: ${argvOf(check.run)} -> ${describeExpectation(check.expect)} (${check.timeout} s, ${network})`;
}

/** The words that will run, each quoted where it has to be: what a shell line looked like does not matter any more. */
function argvOf(command: string): string {
  const words = splitCommand(command);
  return words.ok ? words.value.map(quoted).join(" ") : command;
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));

function describeExpectation(expect: Expectation): string {
  const wire = {
    exit_code: expect.exitCode,
    equals: expect.equals,
    contains: expect.contains,
    regex: expect.regex,
    output_lt: expect.outputLt,
    output_gt: expect.outputGt,
    file_exists: expect.fileExists,
    not_empty: expect.notEmpty,
  };
  return predicatesOf(wire)
    .map((name) => `${name} ${JSON.stringify(wire[name as keyof typeof wire])}`)
    .join(", ");
}

function describeGate(gate: Gate): string {
  const what =
    gate.provider === "predicate" ? gate.type : `${gate.provider}${gate.check === null ? "" : ` ${gate.check}`}`;
  const command = gate.checkCommand === null ? "" : ` runs ${argvOf(gate.checkCommand)}`;
  const step = gate.afterStep === null ? "" : ` ${gate.afterStep}`;
  return `${gate.name}: ${gate.on}${step}, ${what}${command}, else ${gate.onBlock}`;
}

function describeEscalation(name: string, { action, fallback, maxRetries }: EscalationAction): string {
  const then = fallback === null ? "" : `, after ${maxRetries} retries ${fallback}`;
  return `${name}: ${action}${then}`;
}
