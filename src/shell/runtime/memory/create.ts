import { canonicalJson, err, LIMITS, ok, uuidV7, type Result } from "#base";
import {
  memoryToWire,
  recordIdSchema,
  ruleId,
  type AuditActor,
  type ChangingMemory,
  type KeptRequest,
  type MemoryItem,
  type MemoryRefusal,
  type MessageRefusal,
  type Remembering,
  type StoreFault,
} from "#model";
import { decideChange, decideMemory, mayTouch, promotionOf, taintOfEntry, taintWithSources } from "#policy";
import type { MemoryDoor, Proposed, ProposeRefusal } from "#ports";
import { scanTexts } from "../secrets/without-secrets.ts";
import type { MemoryDeps } from "./deps.ts";
import { settlePromotion, withdrawPromotions } from "./promotions.ts";

type MemoryParts = Omit<MemoryDeps, "store" | "messages" | "decisions"> & {
  readonly stores: {
    readonly memories: MemoryDeps["store"];
    readonly messages: MemoryDeps["messages"];
    readonly approvals: MemoryDeps["decisions"];
  };
};

type Memory = MemoryDoor & {
  /** Verifies the memory whose promotion is approved. */
  settle(decision: KeptRequest): Promise<Result<void, StoreFault>>;
};

/** Memories of the owner's scope. */
export function createMemory({ stores, ...parts }: MemoryParts): Memory {
  const deps = { ...parts, store: stores.memories, messages: stores.messages, decisions: stores.approvals };
  return { ...createMemoryDoor(deps), settle: (decision) => settlePromotion(deps, decision) };
}

function createMemoryDoor(deps: MemoryDeps): MemoryDoor {
  const { scopeId, ready } = { scopeId: deps.config.ownerId, ready: readiness(deps) };
  /** The rules are those of the configuration before anything is read. */
  const whenReady =
    <A extends readonly unknown[], T, E>(work: (...args: A) => Promise<Result<T, E>>) =>
    async (...args: A): Promise<Result<T, E | StoreFault>> => {
      const done = await ready();
      return done.ok ? work(...args) : done;
    };
  return {
    remember: whenReady((wanted, actor) => remember(deps, { wanted, actor })),
    list: whenReady((query) => deps.store.list({ ...query, scopeId })),
    search: whenReady((search) => deps.store.searchKeyword({ ...search, scopeId })),
    show: whenReady((memoryId) => findIn(deps, memoryId)),
    change: whenReady((memoryId, wanted) => change(deps, { memoryId, wanted })),
    forget: whenReady((memoryId, actor) => forget(deps, { memoryId, actor })),
    promote: whenReady((memoryId, actor) => promote(deps, { memoryId, actor })),
    exportLines: (options) => exportLines(deps, { ...options, ready }),
  };
}

/** Once; again only after it failed. */
function readiness(deps: MemoryDeps): () => Promise<Result<void, StoreFault>> {
  let done: Promise<Result<void, StoreFault>> | null = null;
  return async () => {
    done ??= keepRules(deps);
    const result = await done;
    if (!result.ok) done = null;
    return result;
  };
}

/** The constitution of the configuration is what the standing rules are, and nothing else makes one. [MEM-07] */
async function keepRules({ store, findSecrets, config, clock, log }: MemoryDeps): Promise<Result<void, StoreFault>> {
  const at = clock.now();
  const texts = [...new Set(config.personality.constitution)];
  const scanned = await Promise.all(texts.map(async (text) => ({ text, secrets: await findSecrets(text) })));
  const rules = scanned.flatMap(({ text, secrets }) => {
    const rule = decideMemory({
      memoryId: recordIdSchema.parse(ruleId(text)),
      scopeId: config.ownerId,
      text,
      secrets,
      taint: "owner",
      trustLevel: "constitutional",
      memoryType: "profile",
      semanticTags: [],
      sourceKind: "configuration",
      sourceId: null,
      at,
    });
    if (!rule.ok) log.error("memory_rule_refused", rule.error);
    return rule.ok ? [{ item: rule.value, actor: { kind: "system" } as const }] : [];
  });
  return store.keepRules({ scopeId: config.ownerId, rules, at });
}

async function findIn(
  { store, config }: MemoryDeps,
  memoryId: string,
): Promise<Result<MemoryItem, MemoryRefusal | StoreFault>> {
  const found = await store.find({ scopeId: config.ownerId, memoryId });
  if (!found.ok) return found;
  return found.value === null ? err({ code: "memory_unknown", memoryId }) : ok(found.value);
}

type Asked<T> = { readonly wanted: T; readonly actor: AuditActor };

async function remember(
  deps: MemoryDeps,
  { wanted, actor }: Asked<Remembering>,
): Promise<Result<MemoryItem, MemoryRefusal | MessageRefusal | StoreFault>> {
  const words = await wordsOf(deps, { wanted, actor });
  if (!words.ok) return words;
  const at = deps.clock.now();
  const item = decideMemory({
    ...words.value,
    secrets: await scanTexts(deps.findSecrets, [words.value.text, ...wanted.semantic_tags]),
    memoryId: recordIdSchema.parse(uuidV7(at, deps.randomness.bytes(10))),
    scopeId: deps.config.ownerId,
    trustLevel: "working",
    memoryType: wanted.memory_type,
    semanticTags: wanted.semantic_tags,
    at,
  });
  return item.ok ? deps.store.store({ item: item.value, actor }) : item;
}

type Words = Pick<Parameters<typeof decideMemory>[0], "text" | "taint" | "sourceKind" | "sourceId">;

/** A message is remembered as it is trusted now, with everything it refers to. [TAINT-05] */
async function wordsOf(
  { messages, config }: MemoryDeps,
  { wanted, actor }: Asked<Remembering>,
): Promise<Result<Words, MessageRefusal | StoreFault>> {
  if (wanted.from !== "message") {
    const sourceKind = wanted.from === "own" ? "owner_entry" : "foreign_entry";
    return ok({ text: wanted.content, taint: taintOfEntry(wanted.from, actor), sourceKind, sourceId: null });
  }
  const messageId = wanted.message_id;
  const found = await messages.find(messageId);
  if (!found.ok) return found;
  const message = found.value;
  if (message === null || message.scopeId !== config.ownerId) return err({ code: "message_unknown", messageId });
  if (message.state !== "accepted") return err({ code: "message_not_accepted", messageId, state: message.state });
  const taint = taintWithSources(message.taint, message.sources);
  return ok({ text: message.text, taint, sourceKind: "message", sourceId: messageId });
}

type Changing = { readonly memoryId: string; readonly wanted: ChangingMemory & { readonly actor: AuditActor } };

async function change(
  deps: MemoryDeps,
  { memoryId, wanted: { from, content, actor } }: Changing,
): Promise<Result<MemoryItem, MemoryRefusal | StoreFault>> {
  const found = await findIn(deps, memoryId);
  if (!found.ok) return found;
  const taint = taintOfEntry(from, actor);
  const secrets = await deps.findSecrets(content);
  const item = decideChange({ item: found.value, text: content, secrets, taint, actor, at: deps.clock.now() });
  if (!item.ok) return item;
  const changed = await deps.store.change({ item: item.value, actor });
  if (changed.ok) await withdrawPromotions(deps, { memoryId, actor });
  return changed;
}

async function forget(
  deps: MemoryDeps,
  { memoryId, actor }: { readonly memoryId: string; readonly actor: AuditActor },
): Promise<Result<void, MemoryRefusal | StoreFault>> {
  const found = await findIn(deps, memoryId);
  // One that cannot be read any more is nobody's but the owner's to remove; a rule is known by its name.
  const isDamaged = !found.ok && found.error.code === "store_corrupt" && !memoryId.startsWith("rule-");
  if (!found.ok && !isDamaged) return found;
  const allowed = found.ok ? mayTouch(found.value, actor) : ok();
  if (!allowed.ok) return allowed;
  const gone = await deps.store.forget({ scopeId: deps.config.ownerId, memoryId, at: deps.clock.now(), actor });
  if (!gone.ok) return gone;
  if (!gone.value) return err({ code: "memory_unknown", memoryId });
  await withdrawPromotions(deps, { memoryId, actor });
  return ok();
}

async function promote(
  deps: MemoryDeps,
  { memoryId, actor }: { readonly memoryId: string; readonly actor: AuditActor },
): Promise<Result<Proposed, MemoryRefusal | ProposeRefusal>> {
  const item = await findIn(deps, memoryId);
  if (!item.ok) return item;
  const payload = promotionOf(item.value);
  return payload.ok ? deps.approvals.proposePayload(payload.value, actor) : payload;
}

type Exporting = Parameters<MemoryDoor["exportLines"]>[0] & { readonly ready: () => Promise<Result<void, StoreFault>> };

/** A header, then one memory per line, newest first. That it was done is recorded with the count alone. [PORT-01] */
async function* exportLines(deps: MemoryDeps, { since, actor, ready }: Exporting): AsyncIterable<string> {
  const { store, clock, audit, config } = deps;
  must(await ready());
  yield lineOf({ bundle_version: BUNDLE_VERSION, exported_at: clock.now(), schema_version: 1 });
  let items = 0;
  let before: string | null = null;
  do {
    const page: readonly MemoryItem[] = must(
      await store.list({ scopeId: config.ownerId, before, limit: LIMITS.pageRows }),
    );
    for (const item of page) {
      if (since !== null && item.updatedAt < since) continue;
      items += 1;
      yield lineOf(memoryToWire(item));
    }
    before = page.length < LIMITS.pageRows ? null : (page.at(-1)?.memoryId ?? null);
  } while (before !== null);
  must(await audit.append({ event: "memory_exported", data: { items }, at: clock.now(), actor }));
}

const BUNDLE_VERSION = "jsonl-v1";

function lineOf(value: object): string {
  return must(canonicalJson(value));
}

/** A stream has no other way to say that the world failed than to end early. */
function must<T>(result: Result<T, { readonly code: string; readonly cause?: unknown }>): T {
  if (result.ok) return result.value;
  throw new Error(result.error.code, { cause: result.error.cause });
}
