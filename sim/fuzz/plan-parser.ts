import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, instantFromMs, isWellFormed } from "#base";
import { parseYaml } from "#config";
import { FILE_ALONE, parsePlan, planHash, projectPlan, withEffectiveSkills } from "#work";
import type { FuzzedParser } from "./fuzz.ts";

const EXAMPLES = fileURLToPath(new URL("../../docs/examples", import.meta.url));

/** Whatever a plan file holds: a whole item that sets nothing of the runtime, or problems with their places. */
export function planParser(): FuzzedParser {
  const texts = readdirSync(EXAMPLES)
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => readFileSync(join(EXAMPLES, name), "utf8"));
  return { texts, judge };
}

function judge(markdown: string): "accepted" | "refused" {
  const at = instantFromMs(0);
  assert(at.ok, "the epoch is an instant");
  const parsed = parsePlan({ markdown, readYaml: parseYaml, at: at.value });
  if (!parsed.ok) {
    const lines = markdown.split("\n").length;
    const placed = parsed.error.every(({ line, column }) => line >= 1 && line <= lines + 1 && column >= 1);
    assert(placed, "PLAN-03 every problem has its place in the file");
    return "refused";
  }
  const { item } = parsed.value;
  const untouched = item.approvalToken === null && item.status === "pending" && item.attempts === 0;
  assert(untouched && item.needsApproval, "PLAN-04 a plan sets nothing of the runtime");
  assert(markdown.endsWith(item.body) && isWellFormed(item.body), "PLAN-02 the body is the end of the file");
  planHash(projectPlan(withEffectiveSkills(parsed.value, null), FILE_ALONE));
  return "accepted";
}
