import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sha256Hex, type JsonValue } from "#base";
import { toCamel, toSnake, WORK_ITEM, type WorkItem } from "#model";
import { FILE_ALONE, planBytes, planHash, projectPlan, type PlanFacts } from "./plan-hash.ts";
import { accepted, STEPS_PLAN, taskFile, WHOLE_PLAN } from "../../../test/plan-texts.ts";
import { withEffectiveSkills } from "./skills.ts";
import { readStep } from "./steps/tool-call.ts";

const SKILL = {
  name: "http-check",
  treeDigest: sha256Hex("every byte of it"),
  hosts: ["b.example", "a.example"],
  secretRefs: ["ref-1"],
};
const FACTS: PlanFacts = { ...FILE_ALONE, executorKind: "role", skills: [SKILL] };
const NO_FACTS: PlanFacts = FILE_ALONE;
const whole = (): WorkItem => accepted(WHOLE_PLAN).item;
const steps = (): WorkItem => accepted(STEPS_PLAN).item;
const hashOf = (item: WorkItem, facts = FACTS): string => planHash(projectPlan(item, facts));

const LISTED =
  "id type title parent spawned_by follow_up_of domain agent budget body interaction_mode input_artifacts_from steps " +
  "files repository reviewed_batches hosts verify gates skills access_levels escalation schedule on_failure on_stuck failure_context tasks depends_on";

describe("the projection", () => {
  test("[PLAN-08] it has the listed fields, the executor kind, skill digests, capabilities, children and terms, and nothing else", () => {
    const names = [
      ...LISTED.split(" "),
      "executor_kind",
      "skill_digests",
      "capabilities",
      "children",
      "standing",
    ].toSorted();
    expect(Object.keys(projectPlan(whole(), FACTS)).toSorted()).toEqual(names);
    const empty = projectPlan(accepted(taskFile()).item, NO_FACTS);
    expect(Object.keys(empty).toSorted()).toEqual(names);
    expect(empty).toMatchObject({
      parent: null,
      schedule: null,
      verify: [],
      executor_kind: null,
      skill_digests: [],
      capabilities: { commands: [], files: [], files_read: [], files_write: [], hosts: [], secret_refs: [] },
    });
  });

  test("[PLAN-08] capabilities say the words that run, the files looked at, and what the skills declare", () => {
    const { capabilities, skill_digests } = projectPlan(whole(), FACTS);
    expect(capabilities).toEqual({
      commands: [
        { by: "verify:answers", argv: ["curl", "--fail", "https://a.example/?q=1"], network: true },
        { by: "verify:page", argv: ["cat", "page.html"], network: false },
        { by: "gate:size", argv: ["test", "-s", "page.html"], network: false },
      ],
      files: ["out/page.html"],
      files_read: [],
      files_write: [],
      hosts: ["a.example", "b.example"],
      secret_refs: ["ref-1"],
    });
    expect(skill_digests).toEqual([{ name: "http-check", sha256: SKILL.treeDigest }]);
    expect(projectPlan(whole(), NO_FACTS).skill_digests).toEqual([{ name: "http-check", sha256: null }]);
  });

  test("[PLAN-08] with steps the executor is known, and capabilities say every word that runs and every place it reaches", () => {
    const { capabilities, executor_kind } = projectPlan(steps(), NO_FACTS);
    expect(executor_kind).toBe("steps");
    expect(capabilities).toEqual({
      commands: [
        { by: "step:make", argv: ["cp", "/home/me/in/a b", "out.txt"], network: false },
        { by: "step:write", argv: ["file_write", "/home/me/out/list.txt"], network: false },
        { by: "step:count", argv: ["python3", "-", "-x"], network: false },
        { by: "verify:there", argv: ["cat", "out.txt"], network: false },
      ],
      files: [],
      files_read: ["/home/me/in"],
      files_write: ["/home/me/out"],
      hosts: [],
      secret_refs: [],
    });
  });

  test("[PLAN-06] skills are inherited before the hash is taken, so it shows the list that counts", () => {
    const child = accepted(taskFile());
    const effective = withEffectiveSkills(child, ["http-check"]);
    expect(projectPlan(effective, FACTS)).toMatchObject({
      skills: ["http-check"],
      skill_digests: [{ name: "http-check", sha256: SKILL.treeDigest }],
    });
    expect(hashOf(effective)).not.toBe(hashOf(withEffectiveSkills(child, null)));
  });

  test("an item whose command was changed behind the parser has no projection", () => {
    const [first] = whole().verify;
    const forged = { ...whole(), verify: first === undefined ? [] : [{ ...first, run: "a | b" }] };
    expect(() => projectPlan(forged, FACTS)).toThrow("PLAN-03");
  });
});

describe("the hash", () => {
  test("[PLAN-09] vectors: the canonical bytes of a small plan, and the digests of both", () => {
    const small = projectPlan(accepted(taskFile("budget: { max_cost_usd: 2.00 }", "Grüße\n")).item, NO_FACTS);
    expect(planBytes(small)).toBe(SMALL_BYTES);
    expect(planHash(small)).toBe("309c326c5ea825fdfd2bf620729cbce56a021b7f1b1cce3ef9d93002dbf93042");
    expect(planHash(small)).toBe(createHash("sha256").update(SMALL_BYTES, "utf8").digest("hex"));
    expect(hashOf(steps())).toBe("93a0a44fd5c349ed6d059cf2e63d68e8615dd280109e8ca65add2f83c5d8a9ee");
    expect(hashOf(whole())).toBe("e598ef7c79cf8a9004538c200f11172cf56485e7a9ee8218f3d8d8b9fd1ae941");
  });

  test("[PLAN-09] it survives a store: the wire form as JSON text and back", () => {
    const item = whole();
    const stored: unknown = JSON.parse(JSON.stringify(toSnake(WORK_ITEM, item)));
    const loaded = toCamel(WORK_ITEM, stored) as WorkItem;
    expect(loaded).toEqual(item);
    expect(hashOf(loaded)).toBe(hashOf(item));
  });

  test("[PLAN-10] changing any projected value at any depth, or the length of any list or map, changes the hash", () => {
    const wire = toSnake(WORK_ITEM, whole()) as { readonly [key: string]: JsonValue };
    const before = hashOf(whole());
    let changes = 0;
    for (const name of LISTED.split(" ").filter(
      (listed) => !["steps", "repository", "reviewed_batches"].includes(listed),
    )) {
      for (const changed of variantsOf(wire[name] ?? null)) {
        const item = toCamel(WORK_ITEM, { ...wire, [name]: changed }) as WorkItem;
        expect(hashOf(item), `${name}: ${JSON.stringify(changed)}`).not.toBe(before);
        changes += 1;
      }
    }
    expect(changes).toBeGreaterThan(100);
  });

  test("[PLAN-10] so does any value of a step or of what it is granted, as far as it is still a step", () => {
    const wire = toSnake(WORK_ITEM, steps()) as { readonly [key: string]: JsonValue };
    const before = hashOf(steps());
    let changes = 0;
    for (const changed of [
      ...variantsOf({ steps: wire["steps"] ?? null }),
      ...variantsOf({ files: wire["files"] ?? null }),
    ]) {
      const item = toCamel(WORK_ITEM, { ...wire, ...(changed as object) }) as WorkItem;
      if (!item.steps.every((step) => readStep(step).ok)) continue;
      expect(hashOf(item), JSON.stringify(changed)).not.toBe(before);
      changes += 1;
    }
    expect(changes).toBeGreaterThan(20);
  });

  test("[PLAN-10] so do a model as the executor, and each tool it may call; a plan without one says nothing of either", () => {
    const plain = projectPlan(accepted(taskFile()).item, NO_FACTS);
    expect(Object.keys(plain)).not.toContain("tools");
    const tasks = [
      "executor: model",
      "executor: model\ntools: [file_read]",
      "executor: model\ntools: [file_read, file_write]",
    ];
    const projections = tasks.map((lines) => projectPlan(accepted(taskFile(lines)).item, NO_FACTS));
    expect(projections.map(({ executor_kind: kind }) => kind)).toEqual(["model", "model", "model"]);
    expect(projections[1]).toMatchObject({ executor: "model", tools: ["file_read"] });
    expect(new Set([plain, ...projections].map(planHash)).size).toBe(4);
  });

  test("[PLAN-10] so does the repository, where it lies and which commit of it", () => {
    const trees = [
      null,
      { path: "/srv/one", ref: "HEAD" },
      { path: "/srv/one", ref: "main" },
      { path: "/srv/two", ref: "main" },
    ];
    expect(new Set(trees.map((repository) => hashOf({ ...steps(), repository }))).size).toBe(trees.length);
    const shown = projectPlan({ ...steps(), repository: { path: "/srv/one", ref: "HEAD" } }, NO_FACTS).capabilities;
    expect(shown).toMatchObject({ files_read: expect.arrayContaining(["/srv/one"]) as unknown });
  });

  test("[PLAN-10] so does what a goal looks for and asks about", () => {
    const looks = [null, "/srv/one", "/srv/two"].map((folder) =>
      folder === null ? null : { action: "move_files" as const, folder },
    );
    expect(new Set(looks.map((reviewedBatches) => hashOf({ ...whole(), reviewedBatches }))).size).toBe(looks.length);
  });

  test("[PLAN-10] so does another executor, one changed byte of a skill, one more host or secret", () => {
    const before = hashOf(whole());
    for (const facts of [
      { ...FACTS, executorKind: "other" },
      { ...FACTS, skills: [] },
      { ...FACTS, skills: [{ ...SKILL, treeDigest: sha256Hex("every byte of It") }] },
      { ...FACTS, skills: [{ ...SKILL, hosts: [...SKILL.hosts, "c.example"] }] },
      { ...FACTS, skills: [{ ...SKILL, secretRefs: [] }] },
    ]) {
      expect(hashOf(whole(), facts)).not.toBe(before);
    }
  });
});

/** Every value that differs from this one in one leaf, one element more or one element less. */
function variantsOf(value: JsonValue): readonly JsonValue[] {
  if (value === null) return ["x"];
  if (typeof value === "string") return [`${value}x`, null];
  if (typeof value === "number") return [value + 1, null];
  if (typeof value === "boolean") return [!value];
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const inside = list.flatMap((item, index) => variantsOf(item).map((changed) => list.with(index, changed)));
    return [...inside.filter(isSplittable), ...list.map((_, index) => list.toSpliced(index, 1)), ...grown(list)];
  }
  const entries = Object.entries(value);
  return entries
    .flatMap(([key, inner]) => variantsOf(inner).map((changed) => ({ ...value, [key]: changed })))
    .filter(isSplittable);
}

/** A list of names or numbers with one more; records would need all their fields. */
const grown = (list: readonly JsonValue[]): readonly JsonValue[] =>
  list.every((item) => typeof item !== "object") ? [[...list, "more"]] : [];

/** Checks without a command or an expectation are no items. */
function isSplittable(value: JsonValue): boolean {
  const text = JSON.stringify(value);
  return !text.includes('"run":null,"expect"') && !/"expect":(?:null|"x")/.test(text);
}

const SMALL_BYTES =
  '{"access_levels":{},"agent":"ephemeral","body":"Grüße\\n","budget":{"max_attempts":5,"max_cost_usd":2,' +
  '"max_planner_calls":3,"max_tokens":200000,"max_wall_time_seconds":1800},"capabilities":{"commands":[],' +
  '"files":[],"files_read":[],"files_write":[],"hosts":[],"secret_refs":[]},"children":[],"depends_on":[],"domain":null,"escalation":{},' +
  '"executor_kind":null,"failure_context":null,"files":{"read":[],"write":[]},"follow_up_of":null,"gates":[],"hosts":[],"id":"task-1",' +
  '"input_artifacts_from":[],"interaction_mode":"confirm_only_when_required","on_failure":"report",' +
  '"on_stuck":"consult_planner","parent":null,"repository":null,"reviewed_batches":null,"schedule":null,"skill_digests":[],"skills":[],' +
  '"spawned_by":null,"standing":null,"steps":[],"tasks":[],"title":"A task","type":"task","verify":[]}';
