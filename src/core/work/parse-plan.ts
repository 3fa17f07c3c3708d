import { assert, err, LIMITS, neutralise, ok, type Instant, type Result, type YamlRefusalCode } from "#base";
import {
  FRONT_MATTER,
  RUNTIME_STATE,
  toCamel,
  WORK_ITEM,
  type WorkItem,
  type GateProblem,
  readRecord,
  type WireRecord,
  type KeyPath,
} from "#model";
import { checkFields } from "./check-fields.ts";
import { FRONT_MATTER_LINE, headingsOf, placeOf, splitPlan, type Heading, type PlanForm } from "./plan-form.ts";
import {
  problemAt,
  type PlanProblem,
  type PlanProblemCode,
  type PlanProblems,
  type Position,
  type Report,
} from "./problems.ts";
import { checkSteps } from "./steps/check-steps.ts";
import { proves } from "./verify/expectation.ts";

/** The strict YAML reader core needs and does not hold: repeated keys, anchors, tags and the like are refused. */
export type ReadYaml = (
  text: string,
) => Result<{ readonly value: unknown; readonly locate: (path: KeyPath) => Position }, readonly YamlRefusal[]>;
type YamlRefusal = Position & { readonly code: YamlRefusalCode };

export type PlanSource = {
  readonly markdown: string;
  readonly readYaml: ReadYaml;
  /** When the plan is read: the `created_at` of the item. */
  readonly at: Instant;
  /** The work that whoever proposes the plan says it continues: its results are there unless the plan names fewer. */
  readonly continues?: string | undefined;
};

export type ParsedPlan = {
  readonly item: WorkItem;
  /** Wire names the front matter wrote: a value that was left out is not the author's choice. [PLAN-06] [WORK-02] */
  readonly writtenKeys: ReadonlySet<string>;
  readonly headings: readonly Heading[];
  readonly notices: readonly PlanNotice[];
};

/** What is accepted, and still worth saying. */
export type PlanNotice = {
  readonly code:
    | "approval_always_needed"
    | "check_says_nothing"
    | "heading_missing"
    | "hidden_characters"
    | "unverified";
  readonly line: number;
  readonly about: string;
};

/** Reads a plan: YAML front matter between `---` lines, then the briefing. All problems come together. Never throws. */
export function parsePlan(source: PlanSource): Result<ParsedPlan, PlanProblems> {
  const form = splitPlan(source.markdown);
  if (!form.ok) return err([form.error]);
  const document = source.readYaml(form.value.frontMatter);
  if (!document.ok) return err(unreadable(document.error));
  const { value, locate } = document.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return err([problemAt({ line: FRONT_MATTER_LINE, column: 1 }, { code: "front_matter_not_map" })]);
  }
  const problems: PlanProblem[] = [];
  const report: Report = (path, reason) => {
    if (problems.length > LIMITS.planProblems) return;
    const isLast = problems.length === LIMITS.planProblems;
    const rest = isLast ? { code: "too_many_problems" as const } : { ...reason, key: path.join(".") || null };
    problems.push(problemAt(inFile(locate(path)), rest));
  };
  const read = readRecord(FRONT_MATTER, { value, path: [], report, refusedKeys: RUNTIME_KEYS });
  const wire = continued(read, { written: value as WireRecord, continues: source.continues });
  checkFields(wire, report);
  checkSteps(wire, { written: value as WireRecord, report });
  checkBody(form.value, problems);
  if (problems.length > 0) return err(nonEmpty(inOrder(problems)));
  return ok(planOf(wire, { form: form.value, source, writtenKeys: new Set(Object.keys(value)) }));
}

type Continuing = { readonly written: WireRecord; readonly continues: string | undefined };

/** What the plan itself says stays; whether that is the same work is for whoever knows what was asked. [FLOW-11] */
function continued(wire: WireRecord, { written, continues }: Continuing): WireRecord {
  if (continues === undefined) return wire;
  const takes = "input_artifacts_from" in written ? wire["input_artifacts_from"] : ["*"];
  return { ...wire, follow_up_of: wire["follow_up_of"] ?? continues, input_artifacts_from: takes };
}

const RUNTIME_KEYS: ReadonlySet<string> = new Set(Object.keys(RUNTIME_STATE.children));

const inFile = ({ line, column }: Position): Position => ({ line: line + FRONT_MATTER_LINE - 1, column });

function unreadable(refusals: readonly YamlRefusal[]): PlanProblems {
  return nonEmpty(
    refusals.slice(0, LIMITS.planProblems + 1).map((found, index) => {
      const code = index === LIMITS.planProblems ? "too_many_problems" : found.code;
      return problemAt(inFile(found), { code });
    }),
  );
}

function nonEmpty(problems: readonly PlanProblem[]): PlanProblems {
  const [first, ...rest] = problems;
  assert(first !== undefined, "PLAN-03 a refused plan says why");
  return [first, ...rest];
}

function inOrder(problems: readonly PlanProblem[]): readonly PlanProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function checkBody({ body, bodyLine }: PlanForm, problems: PlanProblem[]): void {
  const found = wrongInBody(body);
  if (found === null) return;
  const { line, column } = placeOf(body, found.at);
  problems.push(problemAt({ line: line + bodyLine - 1, column }, { code: found.code, key: "body" }));
}

function wrongInBody(body: string): { readonly code: PlanProblemCode; readonly at: number } | null {
  if (body.trim() === "") return { code: "body_empty", at: 0 };
  if (body.length > LIMITS.planBodyChars) return { code: "body_too_large", at: 0 };
  return WORK_ITEM.children.body.kind.schema.safeParse(body).success
    ? null
    : { code: "unsafe_text", at: body.search(CONTROL) };
}
/** Where it is, for the line; what is refused is said by the record. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

type Accepted = {
  readonly form: PlanForm;
  readonly source: PlanSource;
  readonly writtenKeys: ReadonlySet<string>;
};

function planOf(wire: WireRecord, { form, source, writtenKeys }: Accepted): ParsedPlan {
  const isAlwaysOn = wire["type"] === "goal" && wire["schedule"] === "always_on";
  const agent = isAlwaysOn && !writtenKeys.has("agent") ? "stream" : wire["agent"];
  const state = readRecord(RUNTIME_STATE, {
    value: { created_at: source.at },
    path: [],
    report: () => assert(false, "WORK-03 the state of a new item is valid"),
    refusedKeys: new Set(),
  });
  // PLAN-04: whatever a plan says, it is approved by a person or not at all.
  const whole = { ...withoutFalse(wire), agent, needs_approval: true, body: form.body, ...state };
  const item = toCamel(WORK_ITEM, whole) as WorkItem;
  const headings = headingsOf(form);
  const empty = item.verify.filter((check) => !proves([check])).map(({ name }) => name);
  return { item, writtenKeys, headings, notices: [...noticesOf(wire, { form, headings }), ...empty.map(emptyNotice)] };
}

/** `not_empty: false` says nothing, and is kept as nothing. */
function withoutFalse(wire: WireRecord): WireRecord {
  return { ...wire, verify: inEach(wire["verify"], "expect"), gates: inEach(wire["gates"], "check_expect") };
}

function inEach(parts: unknown, field: string): unknown {
  return (parts as readonly WireRecord[]).map((part) => ({ ...part, [field]: saysSomething(part[field]) }));
}

function saysSomething(expect: unknown): unknown {
  const isFalse = typeof expect === "object" && expect !== null && "not_empty" in expect && expect.not_empty === false;
  return isFalse ? { ...expect, not_empty: null } : expect;
}

const HEADINGS = ["Context", "What to do", "Constraints", "If you get stuck"];

type Read = { readonly form: PlanForm; readonly headings: readonly Heading[] };

function noticesOf(wire: WireRecord, { form, headings }: Read): readonly PlanNotice[] {
  const texts = new Set(headings.map(({ text }) => text.toLowerCase()));
  const line = form.bodyLine;
  const hasChecks = Array.isArray(wire["verify"]) && wire["verify"].length > 0;
  return [
    ...(wire["needs_approval"] === false
      ? [{ code: "approval_always_needed", line: FRONT_MATTER_LINE, about: "" } as const]
      : []),
    ...(hasChecks ? [] : [{ code: "unverified", line: FRONT_MATTER_LINE, about: "" } as const]),
    ...HEADINGS.filter((heading) => !texts.has(heading.toLowerCase())).map(
      (about) => ({ code: "heading_missing", line, about }) as const,
    ),
    ...hiddenIn(form),
  ];
}

const emptyNotice = (about: string): PlanNotice => ({ code: "check_says_nothing", line: FRONT_MATTER_LINE, about });

/** The first line of the briefing that does not show all it holds. */
function hiddenIn({ body, bodyLine }: PlanForm): readonly PlanNotice[] {
  const lines = body.split("\n");
  const hidden = lines.findIndex((line) => neutralise(line.replace(/\r$/, "")) !== line.replace(/\r$/, ""));
  return hidden === -1 ? [] : [{ code: "hidden_characters", line: bodyLine + hidden, about: "" }];
}

/**
 * What others found wrong with the parts of a plan, at the places where the plan says it. The file is read once more for
 * that: a plan nobody finds fault with carries no map of its lines.
 */
export function placeGateProblems(
  { markdown, readYaml }: PlanSource,
  problems: readonly GateProblem[],
): readonly PlanProblem[] {
  if (problems.length === 0) return [];
  const locate = locator({ markdown, readYaml });
  return problems
    .slice(0, LIMITS.planProblems)
    .map(({ code, path, found, gateName, nearest }) =>
      problemAt(locate(path), { code, key: path.join("."), found: [found, gateName], nearest }),
    );
}

type Tools = { readonly item: Pick<WorkItem, "steps" | "executor">; readonly absentTools: readonly string[] };

/** Steps that name a tool which is not set up here: for them it does not exist. So it is with a model. [EXEC-08] */
export function placeAbsentTools(
  source: Pick<PlanSource, "markdown" | "readYaml">,
  { item, absentTools }: Tools,
): readonly PlanProblem[] {
  const wanting = item.steps.flatMap(({ tool }, index) => (absentTools.includes(tool ?? "") ? [index] : []));
  const isModelAbsent = item.executor !== null && absentTools.includes(item.executor);
  if (wanting.length === 0 && !isModelAbsent) return [];
  const locate = locator(source);
  if (isModelAbsent) return [problemAt(locate(["executor"]), { code: "model_absent", key: "executor" })];
  return wanting.map((index) => {
    const path = ["steps", index, "tool"];
    const found = [item.steps[index]?.tool ?? ""];
    return problemAt(locate(path), { code: "unknown_tool", key: path.join("."), found });
  });
}

/** A task that nothing would carry out: it could be approved, and then nothing would happen. */
export function placeNothingToDo(
  source: Pick<PlanSource, "markdown" | "readYaml">,
  { type, steps, executor }: Pick<WorkItem, "type" | "steps" | "executor">,
): readonly PlanProblem[] {
  if (type !== "task" || steps.length > 0 || executor !== null) return [];
  return [problemAt(locator(source)(["type"]), { code: "steps_missing", key: "steps" })];
}

function locator({ markdown, readYaml }: Pick<PlanSource, "markdown" | "readYaml">) {
  const form = splitPlan(markdown);
  const document = form.ok ? readYaml(form.value.frontMatter) : form;
  return (path: KeyPath): Position => {
    const { line, column } = document.ok ? document.value.locate(path) : { line: 1, column: 1 };
    return { line: line + FRONT_MATTER_LINE - 1, column };
  };
}
