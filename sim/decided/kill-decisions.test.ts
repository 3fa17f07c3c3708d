import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { assert } from "#base";
import { DatabaseSync } from "node:sqlite";
import { sampleOf } from "../../test/depth.ts";
import { inWorld } from "../disk-run.ts";
import { QUICKLY } from "../kill-run.ts";
import { until } from "../work-world.ts";
import { openLife } from "./life.fixture.ts";

/** More than follow a decision: the last life ends by itself. */
const STATEMENTS = 60;

async function live(home: string, killedAt: number): Promise<"killed" | "ended"> {
  const script = fileURLToPath(new URL("kill-child.fixture.ts", import.meta.url));
  const child = spawn(process.execPath, [...QUICKLY, script, home, String(killedAt)], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(home, "..", "compiled") },
  });
  await once(child, "exit");
  assert(child.signalCode === "SIGKILL" || child.exitCode === 0, "the process was killed or ended well");
  return child.signalCode === "SIGKILL" ? "killed" : "ended";
}

/** What the file says of the decision and its effect. */
function look(home: string): { readonly approved: number; readonly queued: number; readonly promoted: number } {
  const file = new DatabaseSync(join(home, "data", "silas.db"));
  const count = (sql: string): number => Number(file.prepare(`SELECT count(*) AS n FROM ${sql}`).get()?.["n"]);
  const seen = {
    approved: count("pending_decisions WHERE state = 'approved'"),
    queued: count("queue"),
    promoted: count("audit_entries WHERE event = 'memory_promoted'"),
  };
  file.close();
  return seen;
}

test("[FLOW-06] [BUS-10] [BUS-15] a process killed between a decision and its effect loses nothing: the next start carries it out, once", async () => {
  await inWorld(31, async ({ root }) => {
    let left = 0;
    for (const killedAt of sampleOf(
      Array.from({ length: STATEMENTS }, (_, index) => index + 1),
      14,
    )) {
      const home = join(root, `home-${killedAt}`);
      mkdirSync(home, { recursive: true });
      const end = await live(home, killedAt);
      const before = look(home);
      // The message and the decision are one commit.
      expect(before.queued + before.promoted).toBeGreaterThanOrEqual(before.approved);
      if (before.approved === 1 && before.promoted === 0) left += 1;
      assert(end === "killed" || (before.queued === 0 && before.promoted === 1), "a whole life carries it out");
      const app = await openLife(home);
      await app.work.decisions.start();
      await until(() => look(home).queued === 0);
      await app.close();
      expect(look(home)).toEqual({ approved: before.approved, queued: 0, promoted: before.approved });
    }
    expect(left).toBeGreaterThan(0);
  });
});
