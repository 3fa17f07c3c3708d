import { parseStrictJson, sha256Hex } from "#base";
import { memoryItemSchema, memoryToWire, ruleId, TAINTS, type MemoryItem, type Taint } from "#model";
import type { SqlParams } from "../sqlite.ts";
import { whole } from "../store-fault.ts";

/** Rows of `memory_items` as the values of `#model`, and back. */

export type MemoryRow = { readonly [column: string]: string | number | null };

const TOLD = "FROM audit_entries t WHERE t.subject_kind = 'memory' AND t.subject_id = m.memory_id";

/** With what the chain tells of it last, and of the owner's decision about it. [T15] */
export const MEMORIES_SQL = `SELECT m.*,
    (SELECT t.entry ${TOLD} AND t.event <> 'memory_promoted' ORDER BY t.seq DESC LIMIT 1) AS told,
    (SELECT t.entry ${TOLD} AND t.event = 'memory_promoted' ORDER BY t.seq DESC LIMIT 1) AS told_promotion
  FROM memory_items m`;

const LISTS = new Set(["semantic_tags", "entity_refs", "causal_refs"]);
const KEPT = "MEM-04 a kept memory is whole and on record";

/**
 * A memory as row and chain both tell of it. It is trusted as the lesser of them, verified if the chain tells of the
 * decision after its words were kept, and no memory at all when the chain knows none or tells that it was forgotten.
 */
export function memoryOf({ told: toldText, told_promotion: promotionText, ...row }: MemoryRow): MemoryItem {
  const { seq: _seq, content_digest: _digest, ...fields } = row;
  const told = entryIn(toldText);
  const content = String(row["content"]);
  const isOnRecord = told !== null && told.event !== "memory_forgotten" && told.data["scope_id"] === row["scope_id"];
  const isRule = row["trust_level"] === "constitutional";
  const isToldRule = told?.data["trust"] === "constitutional" && row["memory_id"] === ruleId(content);
  whole(isOnRecord && isRule === isToldRule ? row : null, KEPT);
  const promotion = entryIn(promotionText);
  const isVerified =
    !isRule &&
    promotion !== null &&
    promotion.seq > (told?.seq ?? 0) &&
    promotion.data["item_digest"] === sha256Hex(content);
  const item = memoryItemSchema.safeParse({
    ...Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, LISTS.has(name) ? jsonOf(value) : value]),
    ),
    trust_level: isVerified ? "verified" : row["trust_level"],
    taint: isVerified ? "owner" : lessTrusted(row["taint"], told?.data["taint"]),
    endorsed: isVerified ? { token_id: promotion.data["token_id"], at: promotion.at } : null,
  });
  return whole(item.data, KEPT);
}

export function memoryParams(item: MemoryItem): SqlParams {
  const { endorsed: _endorsed, semantic_tags, entity_refs, causal_refs, ...plain } = memoryToWire(item);
  return {
    ...plain,
    semantic_tags: JSON.stringify(semantic_tags),
    entity_refs: JSON.stringify(entity_refs),
    causal_refs: JSON.stringify(causal_refs),
    content_digest: sha256Hex(item.content),
  };
}

/** What one of them does not know is external. */
function lessTrusted(...taints: readonly unknown[]): Taint {
  const ranks = taints.map((taint) => TAINTS.findIndex((one) => one === taint));
  return ranks.includes(-1) ? "external" : (TAINTS[Math.max(...ranks)] ?? "external");
}

type Told = {
  readonly seq: number;
  readonly event: string;
  readonly at: string;
  readonly data: { readonly [field: string]: unknown };
};

function entryIn(text: string | number | null | undefined): Told | null {
  return typeof text === "string" ? ((jsonOf(text) as Told | undefined) ?? null) : null;
}

function jsonOf(text: string | number | null): unknown {
  const parsed = parseStrictJson(String(text));
  return parsed.ok ? parsed.value : undefined;
}
