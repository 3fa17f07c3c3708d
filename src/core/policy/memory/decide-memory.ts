import { err, LIMITS, ok, sha256Hex, type Instant, type Result } from "#base";
import {
  ruleId,
  type AuditActor,
  type MemoryItem,
  type MemoryRefusal,
  type MemoryType,
  type Payload,
  type SecretScan,
  type Taint,
} from "#model";
import { judgeScan, scrubText, deriveTaint } from "../taint/taint.ts";

export type MemoryWanted = {
  readonly memoryId: MemoryItem["memoryId"];
  readonly scopeId: string;
  /** The words, and how far whoever said them is trusted. */
  readonly text: string;
  readonly taint: Taint;
  /** The result of scanning the words. */
  readonly secrets: SecretScan;
  readonly trustLevel: "working" | "constitutional";
  readonly memoryType: MemoryType;
  readonly semanticTags: readonly string[];
  readonly sourceKind: "owner_entry" | "foreign_entry" | "message" | "configuration";
  readonly sourceId: MemoryItem["sourceId"];
  readonly at: Instant;
};

/**
 * What becomes a memory. It is trusted as far as its words and no further: nothing is verified by being kept, and a
 * standing rule is made of the configuration alone. [TAINT-05] [TAINT-07]
 */
export function decideMemory(wanted: MemoryWanted): Result<MemoryItem, MemoryRefusal> {
  const { memoryId, scopeId, taint, trustLevel, memoryType, semanticTags, sourceKind, sourceId, at } = wanted;
  const isOfConfiguration = sourceKind === "configuration" && taint === "owner" && memoryId === ruleId(wanted.text);
  if (trustLevel === "constitutional" && !isOfConfiguration) return err({ code: "memory_constitutional" });
  const content = keepable({ text: wanted.text, secrets: wanted.secrets, taint });
  if (!content.ok) return content;
  return ok({
    memoryId,
    scopeId,
    content: content.value,
    memoryType,
    reingestionTier: "active",
    trustLevel,
    taint,
    createdAt: at,
    updatedAt: at,
    validFrom: null,
    validUntil: null,
    accessCount: 0,
    lastAccessed: null,
    semanticTags: [...semanticTags],
    entityRefs: [],
    causalRefs: [],
    temporalNext: null,
    temporalPrev: null,
    sessionId: null,
    sourceKind,
    sourceId,
    endorsed: null,
  });
}

/** Whoever is signed in says whose words they are. Nothing typed is the owner's own without a signature. [MSG-04] */
export const taintOfEntry = (from: "own" | "foreign", { kind }: AuditActor): Taint =>
  from === "own" && (kind === "owner" || kind === "terminal") ? "auth" : "external";

type MemoryChange = {
  readonly item: MemoryItem;
  readonly text: string;
  readonly secrets: SecretScan;
  readonly taint: Taint;
  readonly actor: AuditActor;
  readonly at: Instant;
};

/**
 * Other words for the same memory. What was signed was about the words before, so the new ones are working again; they are
 * trusted as the least of what was there and what came. [MEM-05] [TAINT-06]
 */
export function decideChange({
  item,
  text,
  secrets,
  taint,
  actor,
  at,
}: MemoryChange): Result<MemoryItem, MemoryRefusal> {
  const allowed = mayTouch(item, actor);
  if (!allowed.ok) return allowed;
  const joined = deriveTaint([item, { taint }]);
  const content = keepable({ text, secrets, taint: joined });
  if (!content.ok) return content;
  return ok({
    ...item,
    content: content.value,
    taint: joined,
    trustLevel: "working",
    endorsed: null,
    updatedAt: at,
  });
}

/** Whether this memory is whose who asks to change or remove: rules nobody's, verified ones the owner's. [MEM-06] [MEM-07] */
export function mayTouch(item: MemoryItem, actor: AuditActor): Result<void, MemoryRefusal> {
  if (item.trustLevel === "constitutional") return err({ code: "memory_constitutional" });
  const isOwner = actor.kind === "owner" || actor.kind === "terminal";
  return item.trustLevel === "verified" && !isOwner ? err({ code: "memory_verified", memoryId: item.memoryId }) : ok();
}

/** What the owner is asked to sign: these words of this memory, whole, and what they would count as. [TAINT-08] */
export function promotionOf(item: MemoryItem): Result<Payload, MemoryRefusal> {
  const { memoryId, scopeId, content, taint, trustLevel } = item;
  if (trustLevel === "constitutional") return err({ code: "memory_constitutional" });
  if (trustLevel === "verified") return err({ code: "memory_trusted", memoryId });
  return ok({
    kind: "memory_promotion",
    item_id: memoryId,
    item_digest: sha256Hex(content),
    content,
    from: taint,
    to: "owner",
    memory: { scope_id: scopeId, trust_from: trustLevel, trust_to: "verified" },
  });
}

/** Words from outside are made harmless; words that hold a credential are not kept, whoever said them. */
function keepable({ text, secrets, taint }: Kept): Result<string, MemoryRefusal> {
  const clean = judgeScan(secrets);
  if (!clean.ok) return clean;
  const content = taint === "external" ? scrubText(text).text : text;
  const { memoryChars: max } = LIMITS;
  return content.length > max ? err({ code: "memory_too_long", chars: content.length, max }) : ok(content);
}
type Kept = Pick<MemoryChange, "text" | "secrets" | "taint">;
