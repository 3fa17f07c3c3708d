import { ok } from "#base";
import { skillInstallSchema, type SkillInstall } from "#model";
import type { SettledInstall, SkillRemoval, SkillStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable, whole } from "../store-fault.ts";
import { removedDraft, settledDraft } from "./drafts.ts";

type SkillStoreParts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** Installations on a migrated `silas.db`. Every change is one transaction with its audit entry. */
export function createSkillStore(parts: SkillStoreParts): SkillStore {
  const { db } = parts;
  return {
    current: async () =>
      guardedValue(() => readable(db.all<InstallRow>(`${SELECT} WHERE ${COUNTS} ORDER BY s.name`), installOf)),
    find: async (name) => guardedValue(() => find(db, name)),
    settle: async (settled) => guarded(() => db.transaction(() => ok(settle(parts, settled)))),
    remove: async (removal) => guarded(() => db.transaction(() => ok(remove(parts, removal)))),
  };
}

const COUNTS = "s.state IN ('active', 'failed')";

const TOLD =
  "FROM audit_entries t WHERE t.subject_kind = 'skill' AND t.subject_id = s.name ORDER BY t.seq DESC LIMIT 1";
/** With the last the chain tells of the skill: a version that was brought back, or put in, was not Silas's doing. */
const SELECT = `SELECT s.*, (SELECT json_extract(t.entry, '$.data.request_id') ${TOLD}) AS told_request_id,
    (SELECT json_extract(t.entry, '$.data.tree_digest') ${TOLD}) AS told_digest
  FROM skill_installs s`;

type InstallRow = {
  readonly request_id: string;
  readonly name: string;
  readonly tree_digest: string;
  readonly token_id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly at: string;
  readonly told_request_id: string | null;
  readonly told_digest: string | null;
};

function installOf({ told_request_id: told, told_digest: digest, ...row }: InstallRow): SkillInstall {
  const install = whole(skillInstallSchema.safeParse(row).data, "INV-06 a kept installation is whole");
  const isTold = told === install.requestId && digest === install.treeDigest;
  return install.state === "active" && !isTold ? { ...install, state: "failed", reason: "not_on_record" } : install;
}

function find(db: Sqlite, name: string): SkillInstall | null {
  const row = db.get<InstallRow>(`${SELECT} WHERE s.name = :name AND ${COUNTS}`, { name });
  return row === null ? null : installOf(row);
}

function settle({ db, recordAct }: SkillStoreParts, settled: SettledInstall): void {
  const { requestId, name, treeDigest, tokenId, state, reason, at } = settled;
  const before = db.get("SELECT 1 FROM skill_installs WHERE request_id = :requestId", { requestId });
  if (before !== null) return;
  db.run("UPDATE skill_installs SET state = 'replaced' WHERE name = :name AND state IN ('active', 'failed')", { name });
  db.run(
    `INSERT INTO skill_installs (request_id, name, tree_digest, token_id, state, reason, at)
     VALUES (:requestId, :name, :treeDigest, :tokenId, :state, :reason, :at)`,
    { requestId, name, treeDigest, tokenId, state, reason, at },
  );
  recordAct(settledDraft(settled));
}

function remove({ db, recordAct }: SkillStoreParts, removal: SkillRemoval): boolean {
  const { name } = removal;
  const install = find(db, name);
  if (install === null) return false;
  db.run("UPDATE skill_installs SET state = 'removed' WHERE name = :name AND state IN ('active', 'failed')", { name });
  recordAct(removedDraft(install, removal));
  return true;
}
