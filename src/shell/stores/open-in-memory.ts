import { join } from "node:path";
import { assert, ok, type Instant } from "#base";
import type { AuditRules, HostId, KeptHead } from "#model";
import type { Clock, JournalStore } from "#ports";
import type { HeadLine, HeadsFile } from "./audit/heads.ts";
import { createJournalStore, ensureHostId } from "./journal/store.ts";
import { readMigrations } from "./migration-files.ts";
import { applyMigrations } from "./migrations.ts";
import { runtimeOn, SHIPPED_MIGRATIONS, type RuntimeStores } from "./open-stores.ts";
import { copySqliteInMemory, openSqliteInMemory, type Sqlite } from "./sqlite.ts";

type RuntimeInMemory = { readonly auditRules: AuditRules; readonly clock: Clock };

/** The stores of the runtime on a new database in memory, with its handle: no second connection could reach it. */
export function openRuntimeInMemory(options: RuntimeInMemory): RuntimeStores & Pick<Sqlite, "handle"> {
  const { auditRules: rules, clock } = options;
  const db = copySqliteInMemory(runtimeImage(clock.now()));
  const opened = runtimeOn({ db, rules, heads: createHeadsInMemory(), clock });
  assert(opened.ok, "a new database in memory opens");
  return { ...opened.value, handle: db.handle };
}

/** A journal on a new database in memory. */
export function openJournalInMemory(options: { readonly hostId: HostId; readonly clock: Clock }): JournalStore {
  const db = migrated(openSqliteInMemory(), "journal", options.clock.now());
  return createJournalStore(
    db,
    ensureHostId(db, () => options.hostId),
  );
}

let image: Uint8Array | null = null;

/** Copying takes a tenth of the time of migrating, so a process migrates one database and copies it from then on. */
function runtimeImage(at: Instant): Uint8Array {
  if (image !== null) return image;
  const db = migrated(openSqliteInMemory(), "runtime", at);
  image = db.handle.serialize();
  db.close();
  return image;
}

function migrated(db: Sqlite, store: "journal" | "runtime", at: Instant): Sqlite {
  const files = readMigrations(join(SHIPPED_MIGRATIONS, store));
  assert(files.ok, "the shipped migrations are readable");
  const applied = applyMigrations(db, { pending: files.value, at });
  assert(applied.ok, "the shipped migrations apply to a new database");
  return db;
}

/** Heads beside a database that ends with its process: kept as long as it is. */
function createHeadsInMemory(): HeadsFile {
  let lines: HeadLine[] = [];
  const add = (line: HeadLine) => {
    if ((lines.at(-1)?.seq ?? 0) < line.seq) lines.push(line);
  };
  const from = (fromSeq: number) => lines.filter(({ seq }) => seq >= fromSeq);
  return {
    append: (head) => add(lineOf(head)),
    note: ({ seq, hash }) => add({ seq, hash, head: null }),
    load: (fromSeq) => ok(from(fromSeq).flatMap(({ head }) => head ?? [])),
    loadLines: (fromSeq) => ok(from(fromSeq)),
    replace: (heads) => void (lines = heads.map(lineOf)),
  };
}

const lineOf = (head: KeptHead): HeadLine => ({ seq: head.seq, hash: head.hash, head });
