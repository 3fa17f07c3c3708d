import { recordIdSchema, ruleId, type KeptMemory, type MemoryItem } from "#model";
import type { ApprovalStore, AuditLog, MemoryStore } from "#ports";
import { BY } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";

export type OpenedMemories = {
  readonly memories: MemoryStore;
  readonly audit: AuditLog;
  readonly approvals: ApprovalStore;
};
export const SCOPE = "owner";

export function memoryNamed(name: string, over: Partial<MemoryItem> = {}): MemoryItem {
  return {
    memoryId: recordIdSchema.parse(`memory-${name}`),
    scopeId: SCOPE,
    content: `The words of ${name}`,
    memoryType: "fact",
    reingestionTier: "active",
    trustLevel: "working",
    taint: "auth",
    createdAt: at(1),
    updatedAt: at(1),
    validFrom: null,
    validUntil: null,
    accessCount: 0,
    lastAccessed: null,
    semanticTags: [],
    entityRefs: [],
    causalRefs: [],
    temporalNext: null,
    temporalPrev: null,
    sessionId: null,
    sourceKind: "owner_entry",
    sourceId: null,
    endorsed: null,
    ...over,
  };
}

export const kept = (item: MemoryItem): KeptMemory => ({ item, actor: BY });

export const ruleOf = (content: string): MemoryItem =>
  memoryNamed("rule", {
    memoryId: recordIdSchema.parse(ruleId(content)),
    content,
    trustLevel: "constitutional",
    taint: "owner",
    sourceKind: "configuration",
  });

/** What the chain says about memories, oldest first. */
export async function toldOf({ audit }: OpenedMemories): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }));
  return entries
    .filter(({ event }) => event.startsWith("memory_"))
    .toReversed()
    .map(({ event }) => event);
}
