import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { readMessage, type QueueText } from "#engine";
import { QUEUE_STATES } from "#sim";
import { openMigrated } from "../open-store.ts";
import { SHIPPED_MIGRATIONS } from "../open-stores.ts";
import { AT, must, tempDir } from "../store.fixture.ts";

const shipped = join(SHIPPED_MIGRATIONS, "runtime");
const LAST_BEFORE = "041";

test("[TURN-02] a message that an older version kept and had not judged is on the queue, in the order of its conversation", async () => {
  const [path, migrationsDir] = [join(tempDir(), "silas.db"), join(tempDir(), "runtime")];
  mkdirSync(migrationsDir);
  for (const name of readdirSync(shipped).filter((one) => one < LAST_BEFORE))
    copyFileSync(join(shipped, name), join(migrationsDir, name));
  must(await openMigrated({ path, synchronous: "FULL", migrationsDir, at: AT })).close();
  const old = new DatabaseSync(path);
  const insert = old.prepare(
    `INSERT INTO messages VALUES (?, ?, 'c', 'web', 'x', '${AT}', ?, ?, NULL, 'words', '', '[]', ?, 'public', ?, ?)`,
  );
  const quote = JSON.stringify([{ item_id: "m", relation: "quote", taint: "external" }]);
  for (const [id, scope, taint, origin, sources, state] of [
    ["m1", "owner", "owner", "signature", "[]", "accepted"],
    ["m2", "owner", "auth", "identity", "[]", "received"],
    ["m3", "owner", "owner", "signature", quote, "received"],
    ["m4", "chat-7", "external", "unknown_sender", "[]", "received"],
    ["m5", "chat-8", "owner", "signature", "[]", "waiting"],
    ["m6", "chat-9", "owner", "signature", "[]", "received"],
  ] as const) {
    const gate = state === "waiting" ? '{"name":"g","reason":"r","plan_hash":null}' : null;
    insert.run(id, scope, taint, origin, sources, state, gate);
  }
  old.close();
  must(await openMigrated({ path, synchronous: "FULL", migrationsDir: shipped, at: AT })).close();
  const db = new DatabaseSync(path);
  const rows = db.prepare(`SELECT kind, order_key, state, message FROM ${QUEUE_STATES} ORDER BY position`).all();
  db.close();
  const read = (rows as (QueueText & { readonly order_key: string; readonly state: string })[]).map((row) => {
    const message = readMessage(row);
    return [message?.id, message?.payload, message?.taint, row.order_key, row.state];
  });
  expect(read).toEqual([
    ["user_message:m2", { messageId: "m2" }, "auth", "proxy_queue:owner", "ready"],
    ["user_message:m3", { messageId: "m3" }, "external", "proxy_queue:owner", "behind"],
    ["user_message:m4", { messageId: "m4" }, "external", "proxy_queue:chat-7", "ready"],
    ["user_message:m6", { messageId: "m6" }, "owner", "proxy_queue:chat-9", "ready"],
  ]);
});
