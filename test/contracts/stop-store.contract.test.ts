import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { AuditLog, StopStore } from "#ports";
import { readStop } from "#stores";
import { at, must } from "./journal-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

type Opened = { readonly stops: StopStore; readonly audit: AuditLog };
const TERMINAL = { kind: "terminal" } as const;
const PAGE = { kind: "owner", session_id: "s1" } as const;

async function recorded({ audit }: Opened): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  const about = entries.filter(({ event }) => event === "everything_stopped" || event === "started_again");
  return about.toReversed().map(({ event, actor }) => `${event} ${actor.kind}`);
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the stop store (%s)", (_name, open) => {
  test("one stop stands: the first word counts, and each is in the chain once, with whose it was", async () => {
    const opened = await open();
    const { stops } = opened;
    expect(must(await stops.current())).toBeNull();
    expect(must(await stops.startAgain({ at: at(0), actor: TERMINAL }))).toBe(false);
    expect(must(await stops.stop({ at: at(1), actor: PAGE }))).toEqual({ at: at(1), by: "owner" });
    expect(must(await stops.stop({ at: at(2), actor: TERMINAL }))).toEqual({ at: at(1), by: "owner" });
    expect(must(await stops.current())).toEqual({ at: at(1), by: "owner" });
    expect(must(await stops.startAgain({ at: at(3), actor: TERMINAL }))).toBe(true);
    expect(must(await stops.current())).toBeNull();
    expect(must(await stops.stop({ at: at(4), actor: TERMINAL }))).toEqual({ at: at(4), by: "terminal" });
    expect(await recorded(opened)).toEqual([
      "everything_stopped owner",
      "started_again terminal",
      "everything_stopped terminal",
    ]);
  });
});

test("a stop that is kept stands for whoever opens the file, and the file itself refuses to lose or to change it", async () => {
  const { stops, dataDir } = await openFile();
  expect(must(readStop(dataDir))).toBeNull();
  must(await stops.stop({ at: at(1), actor: TERMINAL }));
  expect(must(readStop(dataDir))).toEqual({ at: at(1), by: "terminal" });
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  for (const sql of [
    "DELETE FROM global_stops",
    "UPDATE global_stops SET stopped_by = 'system'",
    "INSERT INTO global_stops (stopped_at, stopped_by) VALUES ('x', 'owner')",
  ]) {
    expect(() => database.exec(sql), sql).toThrow(/never|UNIQUE/);
  }
  must(await stops.startAgain({ at: at(2), actor: TERMINAL }));
  expect(() => database.exec("UPDATE global_stops SET ended_at = 'y'")).toThrow(/never/);
  database.close();
  expect(must(readStop(join(dataDir, "nowhere")))).toBeNull();
});

test("a stop that cannot be recorded holds until the process ends, and is not started again either", async () => {
  const { stops, dataDir } = await openFile();
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END");
  expect((await stops.stop({ at: at(1), actor: TERMINAL })).ok).toBe(false);
  expect((await stops.stop({ at: at(2), actor: PAGE })).ok).toBe(false);
  expect(must(await stops.current())).toEqual({ at: at(1), by: "terminal" });
  expect(must(readStop(dataDir))).toBeNull();
  database.exec("DROP TRIGGER full");
  expect(must(await stops.startAgain({ at: at(3), actor: TERMINAL }))).toBe(true);
  expect(must(await stops.current())).toBeNull();
  must(await stops.stop({ at: at(1), actor: TERMINAL }));
  expect(must(readStop(dataDir))).not.toBeNull();
  database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END");
  expect((await stops.startAgain({ at: at(2), actor: TERMINAL })).ok).toBe(false);
  expect(must(await stops.current())).not.toBeNull();
  database.close();
});
