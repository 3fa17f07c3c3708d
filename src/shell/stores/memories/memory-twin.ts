import { err, LIMITS, ok, parseStrictJson, sha256Hex } from "#base";
import type { KeptMemory, MemoryItem, MemoryRefusal, MemorySearch } from "#model";
import type { ApprovalStore, MemoryStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { termsOf } from "../journal/search-query.ts";
import { wordsOf } from "../journal/search-words.ts";
import { changedDraft, forgottenDraft, promotedDraft, storedDraft } from "./drafts.ts";

type Parts = { readonly recordAct: RecordAct; readonly approvals: Pick<ApprovalStore, "list"> };

/** The in-memory twin of the memory store: the same behaviour in the plainest code. Word stems are the real one's own. */
export function createMemoryMemoryStore(parts: Parts): MemoryStore {
  const shelf = createShelf(parts);
  const { of, find, put, drop } = shelf;
  return {
    ...promoting(shelf, parts),
    store: async (one) => {
      const refusal = shelf.taken(one.item);
      if (refusal !== null) return err(refusal);
      shelf.add(one);
      return ok(one.item);
    },
    find: async ({ scopeId, memoryId }) => ok(find(scopeId, memoryId)),
    list: async ({ scopeId, before, limit }) =>
      ok(
        of(scopeId)
          .filter(({ memoryId }) => before === null || memoryId < before)
          .toSorted((a, b) => (a.memoryId > b.memoryId ? -1 : 1))
          .slice(0, Math.min(limit, LIMITS.pageRows)),
      ),
    searchKeyword: async (search) => ok(of(search.scopeId).filter(matches(search)).slice(0, search.limit)),
    change: async (one) => {
      const { memoryId, scopeId } = one.item;
      if (find(scopeId, memoryId) === null) return err({ code: "memory_unknown", memoryId });
      const refusal = shelf.taken(one.item);
      if (refusal !== null) return err(refusal);
      put(one.item);
      parts.recordAct(changedDraft(one));
      return ok(one.item);
    },
    touch: async ({ scopeId, memoryIds, at }) => {
      for (const item of of(scopeId).filter(({ memoryId }) => memoryIds.includes(memoryId)))
        put({ ...item, accessCount: item.accessCount + 1, lastAccessed: at });
      return ok();
    },
    forget: async (forgotten) => {
      const item = find(forgotten.scopeId, forgotten.memoryId);
      if (item === null) return ok(false);
      drop(item.memoryId);
      parts.recordAct(forgottenDraft(forgotten));
      return ok(true);
    },
    keepRules: async ({ scopeId, rules, at }) => {
      const wanted = new Set(rules.map(({ item }) => item.memoryId));
      const there = of(scopeId).filter(({ trustLevel }) => trustLevel === "constitutional");
      for (const { memoryId } of there.filter((item) => !wanted.has(item.memoryId))) {
        drop(memoryId);
        parts.recordAct(forgottenDraft({ memoryId, at, actor: { kind: "system" } }));
      }
      for (const one of rules) if (!there.some(({ memoryId }) => memoryId === one.item.memoryId)) shelf.add(one);
      return ok();
    },
  };
}

type Shelf = ReturnType<typeof createShelf>;

function createShelf({ recordAct }: Parts) {
  let kept: readonly MemoryItem[] = [];
  const of = (scopeId: string): readonly MemoryItem[] => kept.filter((item) => item.scopeId === scopeId);
  const drop = (memoryId: string): void => {
    kept = kept.filter((item) => item.memoryId !== memoryId);
  };
  const put = (item: MemoryItem): void => {
    drop(item.memoryId);
    kept = [...kept, item];
  };
  return {
    of,
    drop,
    put,
    add: (one: KeptMemory): void => {
      put(one.item);
      recordAct(storedDraft(one));
    },
    find: (scopeId: string, memoryId: string): MemoryItem | null =>
      of(scopeId).find((item) => item.memoryId === memoryId) ?? null,
    taken: ({ memoryId, scopeId, content }: MemoryItem): MemoryRefusal | null => {
      const same = of(scopeId).find((item) => item.content === content && item.memoryId !== memoryId);
      return same === undefined ? null : { code: "memory_duplicate", memoryId: same.memoryId };
    },
  };
}

function promoting({ find, put }: Shelf, { recordAct, approvals }: Parts): Pick<MemoryStore, "promote" | "unsettled"> {
  const settled = new Set<string>();
  return {
    promote: async (promoted) => {
      const { requestId, scopeId, memoryId, tokenId, itemDigest, at } = promoted;
      const item = find(scopeId, memoryId);
      const isDone = settled.has(requestId);
      settled.add(requestId);
      if (isDone || item === null || item.trustLevel !== "working" || sha256Hex(item.content) !== itemDigest)
        return ok();
      put({ ...item, trustLevel: "verified", taint: "owner", endorsed: { token_id: tokenId, at } });
      recordAct(promotedDraft(promoted));
      return ok();
    },
    unsettled: async () => {
      const listed = await approvals.list(["approved"]);
      if (!listed.ok) return listed;
      return ok(listed.value.filter((one) => isAboutMemory(one) && !settled.has(one.requestId)));
    },
  };
}

function matches({ text, words: wanted }: MemorySearch): (item: MemoryItem) => boolean {
  const terms = termsOf(text).map((term) => wordsOf(term).map(({ word }) => word));
  return ({ content, semanticTags }) => {
    const texts = [content, semanticTags.join(" ")].map((one) => wordsOf(one).map(({ word }) => word));
    const isThere = (term: readonly string[]): boolean =>
      texts.some((words) => words.some((_, start) => term.every((word, offset) => words[start + offset] === word)));
    return terms.length > 0 && (wanted === "all" ? terms.every(isThere) : terms.some(isThere));
  };
}

function isAboutMemory({ kind, projection }: { readonly kind: string; readonly projection: string }): boolean {
  const json = parseStrictJson(projection);
  return kind === "memory_promotion" && json.ok && Object.hasOwn(Object(json.value), "memory");
}
