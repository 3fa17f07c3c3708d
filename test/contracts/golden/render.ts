/** The golden texts as today's code makes them. */
import { sha256Hex, type Instant } from "#base";
import { parseYaml } from "#config";
import type { LocalApp } from "#compose";
import { activitySentence, auditDataSchemas, payloadProjection, payloadSchema, type AuditDraft } from "#model";
import { createAuditRules } from "#policy";
import { FILE_ALONE, parsePlan, planBytes, planHash, projectPlan, withEffectiveSkills } from "#work";
import { AUDIT_SAMPLES } from "./audit-samples.ts";
import { PAYLOADS, PROPOSALS, WITH_FACTS } from "./plan-samples.ts";
import { must } from "./silas.ts";

const AT = "2026-11-16T08:00:00.000Z" as Instant;

const linesOf = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

const rules = createAuditRules(sha256Hex);

/** Each entry is the first of its own chain, so that a new event changes no other line. */
function sealSamples() {
  return (Object.keys(auditDataSchemas) as readonly AuditDraft["event"][]).toSorted().flatMap((event) =>
    AUDIT_SAMPLES[event].map((data, index) => {
      const draft = { event, data, at: AT, actor: ACTORS[index % ACTORS.length] } as AuditDraft;
      return { name: `${event} ${index + 1}`, row: must(rules.seal(rules.genesis, draft)) };
    }),
  );
}

export const renderAuditLines = (): string =>
  linesOf(sealSamples().map(({ name, row }) => ({ name, hash: row.hash, text: row.text })));

/** In a file of their own: a sentence may be reworded, while the bytes of an entry never change. */
export const renderSentences = (): string =>
  linesOf(sealSamples().map(({ name, row }) => ({ name, sentence: activitySentence(must(rules.parse(row))) })));

const ACTORS: readonly AuditDraft["actor"][] = [
  { kind: "terminal" },
  { kind: "owner", session_id: "session-1" },
  { kind: "system" },
  { kind: "model", taint: "external" },
];

/** The projection and hash that a person would sign, from the same check that every proposal passes. */
export async function renderPlanLines({ approvals }: Pick<LocalApp, "approvals">): Promise<string> {
  const lines: object[] = [];
  for (const [name, text] of Object.entries(PROPOSALS)) {
    const checked = await approvals.check(text);
    if (!checked.ok) throw new Error(`${name}: ${JSON.stringify(checked.error)}`);
    lines.push({ name, hash: checked.value.planHash, text: checked.value.projection });
  }
  for (const [name, { text, skills }] of Object.entries(WITH_FACTS)) {
    const parsed = parsePlan({ markdown: text, readYaml: parseYaml, at: AT });
    const projection = projectPlan(withEffectiveSkills(must(parsed), null), { ...FILE_ALONE, skills });
    lines.push({ name, hash: planHash(projection), text: planBytes(projection) });
  }
  for (const [name, body] of Object.entries(PAYLOADS)) {
    const text = payloadProjection(payloadSchema.parse(body));
    lines.push({ name, hash: sha256Hex(text), text });
  }
  return linesOf(lines);
}
