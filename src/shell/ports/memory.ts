/** Memories: what keeps them, and what a surface or a turn may do with them. */
import type { Instant, Result } from "#base";
import type {
  AuditActor,
  ChangingMemory,
  ForgottenMemory,
  KeptMemory,
  MemoryItem,
  MemoryPlace,
  MemoryQuery,
  MemoryRefusal,
  MemorySearch,
  MessageRefusal,
  PromotedMemory,
  Remembering,
  StandingRules,
  StoreFault,
  UsedMemories,
} from "#model";
import type { Proposed, ProposeRefusal } from "./approvals.ts";

/**
 * Memories in `silas.db`. Every call names the scope it is for, and no answer holds anything of another. Each change
 * commits together with its audit entry. [MEM-03]
 */
export interface MemoryStore {
  /** Refuses words that the scope has already. */
  store(kept: KeptMemory): Promise<Result<MemoryItem, MemoryRefusal | StoreFault>>;
  find(place: MemoryPlace): Promise<Result<MemoryItem | null, StoreFault>>;
  list(query: MemoryQuery): Promise<Result<readonly MemoryItem[], StoreFault>>;
  /** Words and tags by full text; what somebody types is never query syntax. [MEM-08] [MEM-09] */
  searchKeyword(search: MemorySearch): Promise<Result<readonly MemoryItem[], StoreFault>>;
  /** Other words; what was signed about the ones before does not hold for them. */
  change(kept: KeptMemory): Promise<Result<MemoryItem, MemoryRefusal | StoreFault>>;
  /** Counts these as used once more; that is no change of theirs. [RETR-09] */
  touch(used: UsedMemories): Promise<Result<void, StoreFault>>;
  /** Carries out a signed decision; twice changes nothing, and nothing happens when it is about other words. */
  promote(promoted: PromotedMemory): Promise<Result<void, StoreFault>>;
  /** The words are gone, from the index and from the file; answers whether there was such a memory. */
  forget(forgotten: ForgottenMemory): Promise<Result<boolean, StoreFault>>;
  /** Makes the standing rules of a scope exactly these. */
  keepRules(standing: StandingRules): Promise<Result<void, StoreFault>>;
}

type Answer<T, E = never> = Promise<Result<T, E | MemoryRefusal | StoreFault>>;

/** What the terminal, a channel and a turn may do with memories. All of it is about one scope. */
export interface MemoryDoor {
  remember(wanted: Remembering, actor: AuditActor): Answer<MemoryItem, MessageRefusal>;
  list(query: Omit<MemoryQuery, "scopeId">): Answer<readonly MemoryItem[]>;
  search(search: Omit<MemorySearch, "scopeId">): Answer<readonly MemoryItem[]>;
  show(memoryId: string): Answer<MemoryItem>;
  change(memoryId: string, wanted: ChangingMemory & { readonly actor: AuditActor }): Answer<MemoryItem>;
  forget(memoryId: string, actor: AuditActor): Answer<void>;
  /** Asks the owner to verify exactly these words. Nothing changes until that is signed. [TAINT-08] */
  promote(memoryId: string, actor: AuditActor): Answer<Proposed, ProposeRefusal>;
  /** JSON lines that another Silas could read, each without its line break. */
  exportLines(options: { readonly since: Instant | null; readonly actor: AuditActor }): AsyncIterable<string>;
}
