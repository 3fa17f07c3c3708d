import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { neutralise, sha256Hex, type Instant, type JsonValue } from "#base";
import { parseYaml } from "#config";
import { cardSchema, cardToWire, CTA_ROLES, type Card } from "#model";
import { FILE_ALONE, parsePlan, planBytes, planHash, projectPlan } from "#work";
import { PROJECTION, textOf } from "./approval.fixture.ts";
import { cardForPlan, orderCtas } from "./card-plan.ts";
import { shownCommand } from "./card-words.ts";

function cardOf(projection: unknown, usesMax = 1): Card {
  const card = cardForPlan({ projection: textOf(projection), usesMax, strongAuth: "unavailable" });
  if (!card.ok) throw new Error(card.error.reason);
  return card.value;
}

/** The projection again, from nothing but the rows a person sees. */
function rebuilt(rows: Card["details"]["rows"]): JsonValue {
  const root: Record<string, JsonValue> = {};
  for (const { path, kind, text } of rows) {
    const keys = path
      .slice(1)
      .split("/")
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = keys.pop() ?? "";
    let at = root;
    for (const key of keys) at = (at[key] ??= {}) as Record<string, JsonValue>;
    at[last] = kind === "text" ? text : kind === "none" ? null : (JSON.parse(text) as JsonValue);
  }
  return root;
}

/** Lists as maps by place, which is all that rows can say about them. */
function byPlace(value: JsonValue): JsonValue {
  if (typeof value === "string") return neutralise(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value) && value.length === 0) return [];
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, byPlace(child as JsonValue)]));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const hostile = fc.string({
  unit: fc.constantFrom("a", "é", "\u202e", "\u0007", "\n", "😀", "<b>", "/", "~", "\u200b"),
});
const words = fc.array(hostile, { maxLength: 4 });
const command = fc.record({ by: hostile, argv: words, network: fc.boolean() });
const check = fc.record({
  name: hostile,
  run: hostile,
  expect: fc.oneof(
    fc.record({ exit_code: fc.nat(255), contains: fc.constant(null) }),
    fc.record({ contains: hostile, regex: fc.constant(null) }),
    fc.record({ not_empty: fc.boolean() }),
  ),
  timeout: fc.nat(1000),
  network: fc.boolean(),
});
const digest = fc.constantFrom(null, "ab".repeat(32));
const plan = fc
  .record({
    type: fc.constantFrom("task", "project", "goal"),
    title: fc.string({ unit: "grapheme", maxLength: 200 }),
    body: hostile,
    verify: fc.array(check, { maxLength: 3 }),
    tasks: words,
    access_levels: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.record({ tools: words })),
    skill_digests: fc.array(fc.record({ name: hostile, sha256: digest }), { maxLength: 3 }),
    capabilities: fc.record({
      commands: fc.array(command, { maxLength: 3 }),
      files: words,
      hosts: words,
      secret_refs: words,
    }),
  })
  .map((fields) => ({ ...PROJECTION, ...fields }));

test("[CARD-01] any plan gets a card that keeps the contract and shows every value that is hashed, whole", () => {
  fc.assert(
    fc.property(plan, (projection) => {
      const card = cardOf(projection);
      expect(cardSchema.parse(JSON.parse(textOf(cardToWire(card))))).toEqual(card);
      expect(card.intent.length).toBeLessThanOrEqual(80);
      expect(card.rationale.match(/\.(?= |$)/g)?.length).toBeLessThanOrEqual(2);
      expect(rebuilt(card.details.rows)).toEqual(byPlace(projection as JsonValue));
      expect(card.planHash).toBe(sha256Hex(textOf(projection)));
      expect(textsIn(card).filter((text) => neutralise(text) !== text)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

describe("the contract", () => {
  const wire = cardToWire(cardOf({ ...PROJECTION, tasks: ["task-2"] }));

  test("[CARD-01] a card without one of its fields is no card", () => {
    expect(cardSchema.safeParse(wire).success).toBe(true);
    for (const field of Object.keys(wire)) {
      const { [field as keyof typeof wire]: _left, ...rest } = wire;
      expect(cardSchema.safeParse(rest).success, field).toBe(false);
    }
    expect(cardSchema.safeParse({ ...wire, risk_level: "none" }).success).toBe(false);
    expect(cardSchema.safeParse({ ...wire, intent: "x".repeat(81) }).success).toBe(false);
    expect(cardSchema.safeParse({ ...wire, intent: "two\nlines" }).success).toBe(false);
    expect(cardSchema.safeParse({ ...wire, intent: "evil \u202e text" }).success).toBe(false);
    expect(cardSchema.safeParse({ ...wire, extra: 1 }).success).toBe(false);
  });

  test("[CARD-02] [UX-08] every choice says what it does; an empty label is refused, and so is a card with no choice", () => {
    expect(wire.ctas.map((cta) => cta.consequence_label)).toEqual(["Approve for 1 run", "Decline: nothing runs"]);
    for (const consequence_label of ["", "  "]) {
      const ctas = [{ ...wire.ctas[0], consequence_label }];
      expect(cardSchema.safeParse({ ...wire, ctas }).success).toBe(false);
    }
    expect(cardSchema.safeParse({ ...wire, ctas: [] }).success).toBe(false);
  });

  test("choices stand in one order, and a card with another is refused", () => {
    const roles = fc.array(fc.constantFrom(...CTA_ROLES), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(roles, (some) => {
        const ordered = orderCtas(some.map((role) => ({ action: "edit", role, consequenceLabel: "Ask for changes" })));
        const places = ordered.map(({ role }) => CTA_ROLES.indexOf(role));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }),
      { numRuns: 50 },
    );
    expect(cardSchema.safeParse({ ...wire, ctas: wire.ctas.toReversed() }).success).toBe(false);
  });

  test("details are open where the risk is high", () => {
    expect(cardOf(PROJECTION).details.state).toBe("closed");
    expect(cardOf({ ...PROJECTION, type: "goal" }).details.state).toBe("open");
  });
});

test("the card of a plan says checks, budget, reach and what would be unverified", () => {
  const card = cardOf(PROJECTION, 2);
  expect(card.intent).toBe("Run: Tidy the notes");
  expect(card.rationale).toBe(
    "This task names 1 command, without network. One check outside the model decides whether it is done.",
  );
  expect(card.checks).toEqual([
    {
      name: "has notes",
      command: "test -s notes.md",
      expects: "ends with code 0",
      network: false,
      timeoutSeconds: 60,
    },
  ]);
  expect(card.budget?.maxTokens).toBe(200_000);
  expect(card.ctas[0]?.consequenceLabel).toBe("Approve for 2 runs");
  expect(card.affectedItems).toBeNull();
  expect(cardOf({ ...PROJECTION, verify: [] }).rationale).toContain("unverified");
  const { capabilities } = PROJECTION;
  const reaching = { ...capabilities, files: ["a", "b"], hosts: ["a.example"], secret_refs: ["mail"] };
  expect(cardOf({ ...PROJECTION, capabilities: reaching }).affectedItems).toEqual({
    count: 4,
    summary: "2 files, 1 host, 1 secret",
  });
});

test("a title that is too long for one line is cut behind a whole character", () => {
  const intentFor = (title: string) => cardOf({ ...PROJECTION, title }).intent;
  expect(intentFor("x".repeat(75))).toBe(`Run: ${"x".repeat(75)}`);
  expect(intentFor("x".repeat(76))).toBe(`Run: ${"x".repeat(74)}…`);
  expect(intentFor(`${"x".repeat(72)}😀xx`)).toBe(`Run: ${"x".repeat(72)}😀…`);
  expect(intentFor(`${"x".repeat(73)}😀xx`)).toBe(`Run: ${"x".repeat(73)}…`);
});

test("what is touched is not named by a word that only looks like another: letters of two alphabets are told apart", () => {
  const alike = "n\u043etes";
  expect(shownCommand(["cat", alike])).toBe('cat "n\\u{43e}tes"');
  const { capabilities, verify } = PROJECTION;
  const [first] = verify;
  const card = cardOf({
    ...PROJECTION,
    capabilities: { ...capabilities, files: [alike], files_write: [`/srv/${alike}`], files_read: [`/mnt/${alike}`] },
    verify: [{ ...first, run: `test -e ${alike}` }],
  });
  expect(card.capabilities).toMatchObject({
    files: ["n\\u{43e}tes"],
    filesRead: ["/mnt/n\\u{43e}tes"],
    filesWrite: ["/srv/n\\u{43e}tes"],
  });
  expect(card.checks[0]?.command).toBe("test -e n\\u{43e}tes");
});

test("words of a command stay apart", () => {
  expect(shownCommand(["rm", "-f", "a b", "", "c\nd", 'e"f', "\u202eg"])).toBe(
    'rm -f "a b" "" "c\\nd" "e\\"f" "\uFFFDg"',
  );
});

test("a projection in another spelling, or of something else, has no card", () => {
  const text = textOf(PROJECTION);
  const { budget: _left, ...rest } = PROJECTION;
  const codes = [` ${text}`, text.replace('"title"', '"title" '), "{}", "[]", "null", "", "{", textOf(rest)].map(
    (projection) => cardForPlan({ projection, usesMax: 1, strongAuth: "unavailable" }).ok,
  );
  expect(codes).toEqual(codes.map(() => false));
});

test("the plans of the documentation have cards, with the hash their approval is bound to", () => {
  for (const name of ["site-is-up", "tidy-notes"]) {
    const markdown = readFileSync(new URL(`../../../docs/examples/${name}.md`, import.meta.url), "utf8");
    const parsed = parsePlan({ markdown, readYaml: parseYaml, at: "2026-11-15T21:00:00.000Z" as Instant });
    if (!parsed.ok) throw new Error(name);
    const projection = projectPlan(parsed.value.item, FILE_ALONE);
    const card = cardForPlan({ projection: planBytes(projection), usesMax: 1, strongAuth: "unavailable" });
    expect(card.ok && card.value.planHash).toBe(planHash(projection));
  }
});

test("a skill named twice with two digests is shown twice: the second does not hide behind the first", () => {
  const digests = ["a".repeat(64), null];
  const [project, child] = digests.map((sha256) => ({ ...PROJECTION, skill_digests: [{ name: "tidy", sha256 }] }));
  const task = { ...child, parent: "task-1", id: "task-2" };
  const card = cardOf({ ...project, type: "project", tasks: ["task-2"], children: [task] });
  expect(card.capabilities?.skills).toEqual(digests.map((sha256) => ({ name: "tidy", sha256 })));
});

test("[WORK-06] the card of a goal of the conversation says first what it changes for messages", () => {
  const gates = [{ on: "every_user_message" }, { on: "every_agent_response" }, { on: "on_tool_call" }];
  const goal = { ...PROJECTION, type: "goal", agent: "stream", gates, access_levels: { staff: {} } };
  const inForce =
    "Once approved it is in force for every message and reply (2 gates, 1 level), in place of any goal before it.";
  expect(cardOf(goal).rationale).toContain(inForce);
  expect(cardOf({ ...goal, verify: [] }).rationale).toMatch(/any goal before it\.$/);
  for (const other of [{ agent: "ephemeral" }, { gates: [gates[2]], access_levels: {} }]) {
    expect(cardOf({ ...goal, ...other }).rationale).not.toContain("in force");
  }
});
