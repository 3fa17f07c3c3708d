import { hostWords, parseHostRule, type WireRecord, type KeyPath } from "#model";
import { isStepTool, TOOLS } from "#tools";
import type { Report } from "../problems.ts";

type StepOfPlan = {
  /** As it was written; a key that was left out is not there. */
  readonly written: WireRecord;
  /** The hosts of the plan, as it names them. */
  readonly hosts: readonly string[];
  readonly type: unknown;
  readonly report: Report;
};

/**
 * What a step says of its credentials must be what happens: a header goes to one host of the plan, from a program that
 * is online; what is piped goes nowhere else; and a name is a name. [SECRET-04]
 */
export function checkCredentials(step: WireRecord, { written, hosts, type, report }: StepOfPlan): void {
  const all = Object.entries(recordOf(step["credentials"])).filter(([, value]) => isRecord(value));
  if (all.length === 0) return;
  if (type !== "task" && type !== null) report(["credentials"], { code: "not_for_type", expected: "task" });
  if (step["tool"] !== null && !runsProgram(String(step["tool"]))) {
    report(["credentials"], { code: "credential_not_for_tool" });
  }
  const granted = new Set(hosts.map(ruleWords));
  const headers = new Set<string>();
  for (const [name, value] of all) {
    const at: Report = (path, reason) => report(["credentials", name, ...path], reason);
    const credential = recordOf(value);
    const { ref } = credential;
    if (!NAME.test(name))
      at([], { code: "wrong_value", expected: "a name of capitals, digits and _, such as API_KEY" });
    if (typeof ref === "string" && looksLikeSecret(ref)) at(["ref"], { code: "credential_looks_like_secret" });
    if (credential["as"] === "pipe") checkPiped(recordOf(recordOf(written["credentials"])[name]), at);
    if (credential["as"] === "header") checkHeader(credential, { granted, headers, isOnline: step["network"], at });
  }
}

/** Only these run a program of the owner's; the others are Silas' own, and use no secret. */
const runsProgram = (tool: string): boolean => isStepTool(tool) && TOOLS[tool].effect === "run";
/** It becomes part of the name of a variable. */
const NAME = /^[A-Z][A-Z0-9_]{0,39}$/;

function checkPiped(written: WireRecord, at: Report): void {
  for (const key of ["host", "header"]) {
    if (Object.hasOwn(written, key)) at([key], { code: "credential_piped" });
  }
}

type Heading = {
  readonly granted: ReadonlySet<string>;
  /** Those of the credentials before it. */
  readonly headers: Set<string>;
  readonly isOnline: unknown;
  readonly at: Report;
};

function checkHeader({ host, header }: WireRecord, { granted, headers, isOnline, at }: Heading): void {
  const place: KeyPath = ["host"];
  if (typeof host !== "string") return at(place, { code: "missing_key", expected: "the host it was saved for" });
  const words = ruleWords(host);
  if (!granted.has(words)) return at(place, { code: "credential_host_not_granted" });
  if (isOnline !== true) return at(place, { code: "credential_offline" });
  const both = `${words} ${String(header)}`;
  if (headers.has(both)) at(["header"], { code: "name_repeated" });
  headers.add(both);
}

/** With its port, so that two spellings of one host are one. */
function ruleWords(host: string): string {
  const rule = parseHostRule(host);
  return rule === null ? host : hostWords(rule);
}

const PART_CHARS = 16;
const DIGITS = 4;

/**
 * Whether somebody wrote the secret where its name belongs: a long run of random characters, as no name has one. Known
 * forms of keys are found by the scan of the whole plan.
 */
export function looksLikeSecret(ref: string): boolean {
  return ref.split(/[._-]/).some(isRandom) || /^[0-9]{16,}$/.test(ref);
}

const isRandom = (part: string): boolean =>
  part.length >= PART_CHARS && (part.match(/\d/g)?.length ?? 0) >= DIGITS && /[a-z]/.test(part);

const isRecord = (value: unknown): value is WireRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const recordOf = (value: unknown): WireRecord => (isRecord(value) ? value : {});
