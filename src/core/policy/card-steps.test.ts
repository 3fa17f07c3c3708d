import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cardSchema, cardToWire, readProjection, type Card, type ShownPlan } from "#model";
import { FILE_ALONE, planBytes, planHash, projectPlan } from "#work";
import { accepted, STEPS_PLAN, taskFile } from "../../../test/plan-texts.ts";
import { textOf } from "./approval.fixture.ts";
import { cardForPlan, riskOfPlan } from "./card-plan.ts";

const projectionOf = (markdown: string) => projectPlan(accepted(markdown).item, FILE_ALONE);

function cardOf(markdown: string): Card {
  const card = cardForPlan({ projection: planBytes(projectionOf(markdown)), usesMax: 1, strongAuth: "unavailable" });
  if (!card.ok) throw new Error(card.error.reason);
  return card.value;
}

function shown(projection: string): ShownPlan {
  const read = readProjection(projection);
  if (!read.ok) throw new Error(read.error.reason);
  return read.value.plan;
}

test("[CARD-01] the card of a plan with steps says every command and every place, and each value of each step", () => {
  const card = cardOf(STEPS_PLAN);
  expect(card.capabilities).toMatchObject({
    commands: [
      { by: "step:make", command: 'cp "/home/me/in/a b" out.txt', network: false },
      { by: "step:write", command: "file_write /home/me/out/list.txt", network: false },
      { by: "step:count", command: "python3 - -x", network: false },
      { by: "verify:there", command: "cat out.txt", network: false },
    ],
    filesRead: ["/home/me/in"],
    filesWrite: ["/home/me/out"],
  });
  expect(card.rationale).toContain(
    "4 commands, without network, and may change files in 1 place outside its workspace.",
  );
  const rows = new Map(card.details.rows.map(({ path, text }) => [path, text]));
  expect(rows.get("/steps/1/args/content")).toBe("one\n");
  expect(rows.get("/steps/2/args/script")).toBe("print(1)");
  expect(rows.get("/files/write/0")).toBe("/home/me/out");
  expect(rows.get("/executor_kind")).toBe("steps");
  expect(cardSchema.parse(JSON.parse(JSON.stringify(cardToWire(card))))).toEqual(card);
});

test("[RISK-03] a place to change is a high risk and a place to read a medium one, whatever the plan says of itself", () => {
  const step = "steps:\n  - { name: a, run: ls }\n";
  expect(cardOf(taskFile(step)).riskLevel).toBe("medium");
  expect(cardOf(taskFile(`${step}files: { read: [/home/me/in] }`)).riskLevel).toBe("medium");
  expect(cardOf(taskFile(`${step}files: { write: [/home/me/out] }`)).riskLevel).toBe("high");
  expect(cardOf(taskFile("files: { write: [/home/me/out] }")).riskLevel).toBe("high");
});

test("a projection of an earlier version, without steps and grants, still has its card and reaches nothing", () => {
  const { steps: _steps, files: _files, capabilities, ...rest } = projectionOf(taskFile());
  const { files_read: _read, files_write: _write, ...kept } = capabilities as Record<string, unknown>;
  const earlier = textOf({ ...rest, capabilities: kept });
  const card = cardForPlan({ projection: earlier, usesMax: 1, strongAuth: "unavailable" });
  expect(card.ok && card.value.capabilities).toMatchObject({ filesRead: [], filesWrite: [] });
  expect(riskOfPlan(shown(earlier))).toBe("medium");
});

test("the plan with steps of the documentation has its card, with the hash its approval is bound to", () => {
  const markdown = readFileSync(new URL("../../../docs/examples/make-a-table.md", import.meta.url), "utf8");
  const card = cardOf(markdown);
  expect(card.planHash).toBe(planHash(projectionOf(markdown)));
  expect(card.riskLevel).toBe("medium");
});
