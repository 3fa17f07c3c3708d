/**
 * The limit the product is held against: a server that opens a SQLite file, answers `GET /health`, and on `POST /write`
 * runs one transaction of prepared statements. Plain JavaScript, since stripping types would make it slower.
 */
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";

const db = new DatabaseSync(process.argv[2]);
db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
db.exec("CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
const insert = db.prepare("INSERT INTO kept (body) VALUES (?)");

const server = createServer(async (request, response) => {
  if (request.method === "GET") return response.end('{"status":"ok"}');
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  db.exec("BEGIN IMMEDIATE");
  insert.run(JSON.stringify(body));
  db.exec("COMMIT");
  response.setHeader("content-type", "application/json").end(JSON.stringify(body));
});
server.listen(0, "127.0.0.1", () => console.log(`http://localhost:${server.address().port}`));
process.once("SIGTERM", () => process.exit(0));
