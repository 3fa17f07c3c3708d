import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Result } from "#base";
import { journalQuerySchema, journalRequestSchema } from "#model";
import { BodyRefused, readBodyLines } from "./body-lines.ts";
import { type Refusal } from "./refusals.ts";
import { readJsonBody } from "./request-body.ts";
import { takeAct } from "./trust/signing-tries.ts";
import { actorOf, callerOf, type WebContext } from "./web-context.ts";

export const LINES_TYPE = "application/x-ndjson";
/** Lines are sent in chunks of about this size: a write per line would cost more than the line. */
const EXPORT_CHUNK_CHARS = 65_536;

export function addJournalRoutes(app: FastifyInstance, context: WebContext): void {
  const { journal, timers } = context;
  const answer = (reply: FastifyReply, result: Result<unknown, Refusal>) =>
    result.ok ? sendJson(reply, result.value) : context.refuse(reply, result.error);

  app.post("/api/journal/command", async (request, reply) => {
    const body = await readJsonBody(request.raw, { schema: journalRequestSchema, timers });
    return answer(reply, body.ok ? await journal.submit(body.value) : body);
  });

  app.post("/api/journal/query", async (request, reply) => {
    const body = await readJsonBody(request.raw, { schema: journalQuerySchema, timers });
    return answer(reply, body.ok ? await journal.ask(body.value) : body);
  });

  app.get("/api/journal/export", async (request, reply) => {
    const may = takeAct(context, callerOf(request));
    if (!may.ok) return context.refuse(reply, may.error);
    reply
      .header("content-disposition", 'attachment; filename="silas-journal.jsonl"')
      .header("cache-control", "no-store");
    return reply.type(LINES_TYPE).send(Readable.from(chunksOf(journal.exportLines(actorOf(request)))));
  });

  app.post("/api/journal/import", async (request, reply) => {
    if (mediaType(request.headers["content-type"]) !== LINES_TYPE) {
      return context.refuse(reply, { code: "json_only", expected: LINES_TYPE });
    }
    const may = takeAct(context, callerOf(request));
    if (!may.ok) return context.refuse(reply, may.error);
    try {
      return answer(reply, await journal.importLines(readBodyLines(request.raw, timers), actorOf(request)));
    } catch (thrown) {
      if (!(thrown instanceof BodyRefused)) throw thrown;
      return context.refuse(reply, thrown.refusal);
    }
  });
}

/** Answers are serialised here, because an answer may be `null`, which the framework would take for "no body". */
function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  const text = JSON.stringify(value);
  return reply.header("cache-control", "no-store").type("application/json; charset=utf-8").send(text);
}

export async function* chunksOf(lines: AsyncIterable<string>): AsyncIterable<string> {
  let chunk = "";
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < EXPORT_CHUNK_CHARS) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

export function mediaType(header: string | undefined): string {
  return (header ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
