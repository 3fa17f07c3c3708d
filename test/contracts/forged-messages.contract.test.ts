import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { at, must } from "./journal-fixture.ts";
import { BY, messageNamed, openFile } from "./message-fixture.ts";

/** Somebody who can write to `silas.db` and drops what guards its rows. */

async function openWithMessage() {
  const { messages, audit, dataDir } = await openFile();
  const foreign = messageNamed("a", { taint: "external", origin: "signature_invalid" });
  must(await messages.receive({ first: foreign, replay: null, actor: BY }));
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  onTestFinished(() => database.close());
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
    database.exec(`DROP TRIGGER "${String(name)}"`);
  }
  database.exec("PRAGMA foreign_keys = OFF");
  const read = async () => {
    const listed = must(await messages.list({ scopeId: "owner", before: null, limit: 10 }));
    return [must(await messages.find(foreign.messageId)), ...listed].map((one) => [one?.taint, one?.endorsed]);
  };
  return { audit, database, messageId: foreign.messageId, read };
}

test.each([
  ["raised", "UPDATE messages SET taint = 'owner', origin = 'signature'"],
  ["raised a little", "UPDATE messages SET taint = 'auth', origin = 'identity'"],
  ["endorsed", `INSERT INTO message_endorsements VALUES ('message-a', 'tok_forged', '${at(1)}')`],
])("a message that was %s in the database is as foreign as the chain tells", async (_name, change) => {
  const { database, read } = await openWithMessage();
  database.exec(change);
  const asBefore = ["external", null];
  expect(await read()).toEqual([asBefore, asBefore]);
});

test("an endorsement counts under the token that the chain tells of, and under no other", async () => {
  const { audit, database, messageId, read } = await openWithMessage();
  const data = { message_id: messageId, token_id: "tok_a" };
  must(await audit.append({ event: "message_endorsed", data, at: at(1), actor: BY }));
  database.exec(`INSERT INTO message_endorsements VALUES ('${messageId}', 'tok_b', '${at(1)}')`);
  const foreign = ["external", null];
  expect(await read()).toEqual([foreign, foreign]);
  database.exec("UPDATE message_endorsements SET token_id = 'tok_a'");
  const endorsed = ["owner", { token_id: "tok_a", at: at(1) }];
  expect(await read()).toEqual([endorsed, endorsed]);
});

test("a message that the chain does not tell of is foreign", async () => {
  const { database, read } = await openWithMessage();
  database.exec("UPDATE messages SET message_id = 'message-b', taint = 'owner', origin = 'signature'");
  expect((await read()).at(-1)).toEqual(["external", null]);
});
