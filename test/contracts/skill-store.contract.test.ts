import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { ApprovalStore, AuditLog, SettledInstall, SkillStore } from "#ports";
import { BY } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

type Opened = { readonly skills: SkillStore; readonly audit: AuditLog; readonly approvals: ApprovalStore };

const install = (name: string, over: Partial<SettledInstall> = {}): SettledInstall => ({
  requestId: `request-${name}`,
  name,
  treeDigest: sha256Hex(name),
  tokenId: `tok_${name}`,
  state: "active",
  reason: null,
  at: at(1),
  actor: BY,
  ...over,
});

async function recorded({ audit }: Opened): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  return entries
    .filter(({ event }) => event.startsWith("skill_"))
    .toReversed()
    .map(({ event }) => event);
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the skill store (%s)", (_name, open) => {
  test("[INV-06] of one decision one installation is made, a later version takes its place, and each is in the chain once", async () => {
    const opened = await open();
    const { skills } = opened;
    expect(must(await skills.find("one"))).toBeNull();
    must(await skills.settle(install("one")));
    must(await skills.settle(install("one", { state: "failed", reason: "dry_run_failed: x" })));
    expect(must(await skills.find("one"))).toMatchObject({ state: "active", treeDigest: sha256Hex("one") });
    const later = install("one", { requestId: "request-two", tokenId: "tok_two", treeDigest: sha256Hex("two") });
    must(await skills.settle(later));
    expect(must(await skills.find("one"))).toMatchObject({ state: "active", requestId: "request-two" });
    must(await skills.settle(install("bad", { state: "failed", reason: "dry_run_failed: scripts/x.mjs" })));
    expect(must(await skills.current()).map(({ name, state }) => `${name} ${state}`)).toEqual([
      "bad failed",
      "one active",
    ]);
    expect(must(await skills.remove({ name: "one", at: at(2), actor: BY }))).toBe(true);
    expect(must(await skills.remove({ name: "one", at: at(2), actor: BY }))).toBe(false);
    expect(must(await skills.find("one"))).toBeNull();
    expect(await recorded(opened)).toEqual([
      "skill_installed",
      "skill_installed",
      "skill_install_failed",
      "skill_removed",
    ]);
  });
});

test("[INST-06] a row that somebody put in, changed or brought back is not active: the chain tells of none such", async () => {
  const { skills, dataDir } = await openFile();
  must(await skills.settle(install("one")));
  const later = install("one", { requestId: "request-two", treeDigest: sha256Hex("two") });
  must(await skills.settle(later));
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  const state = async (): Promise<string | undefined> => must(await skills.find("one"))?.state;
  expect(await state()).toBe("active");
  database.exec("UPDATE skill_installs SET state = 'replaced' WHERE request_id = 'request-two'");
  database.exec("UPDATE skill_installs SET state = 'active' WHERE request_id = 'request-one'");
  expect(await state()).toBe("failed");
  database.exec("UPDATE skill_installs SET state = 'replaced' WHERE request_id = 'request-one'");
  database.exec(
    `UPDATE skill_installs SET state = 'active', tree_digest = '${"f".repeat(64)}' WHERE request_id = 'request-two'`,
  );
  expect(await state()).toBe("failed");
  database.close();
});
