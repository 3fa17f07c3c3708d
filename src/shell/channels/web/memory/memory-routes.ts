import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LIMITS, ok, type Result } from "#base";
import {
  changeMemorySchema,
  memoryActSchema,
  memoryListSchema,
  memorySearchSchema,
  memoryToWire,
  rememberSchema,
  type MemoryItem,
} from "#model";
import { chunksOf, LINES_TYPE } from "../journal-routes.ts";
import type { Refusal } from "../refusals.ts";
import { parseInput, readJsonBody, type BodySchema } from "../request-body.ts";
import { proposedBody } from "../trust/approval-bodies.ts";
import { takeAct } from "../trust/signing-tries.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";

const LIMIT_DEFAULT = 100;

/** Memories of the owner. Nothing here verifies one: that is decided like every request. [TAINT-08] */
export function addMemoryRoutes(app: FastifyInstance, context: WebContext): void {
  const { memory } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);
  const post = <T>(path: string, route: Route<T>) =>
    app.post(path, async (request, reply) => {
      const body = await readJsonBody(request.raw, { schema: route.schema, timers: context.timers });
      return answer(reply, body.ok ? await route.work(request, body.value) : body);
    });
  app.get("/api/memory", async (request, reply) => {
    const asked = parseInput(memoryListSchema, { ...(request.query as object) });
    if (!asked.ok) return answer(reply, asked);
    const { before = null, limit = LIMIT_DEFAULT } = asked.value;
    const listed = await memory.list({ before, limit });
    if (!listed.ok) return answer(reply, listed);
    const last = listed.value.length < limit ? null : (listed.value.at(-1)?.memoryId ?? null);
    return answer(reply, ok({ memories: listed.value.map(memoryToWire), next_before: last }));
  });
  app.get("/api/memory/search", async (request, reply) => {
    const asked = parseInput(memorySearchSchema, { ...(request.query as object) });
    if (!asked.ok) return answer(reply, asked);
    const { q: text, limit = LIMIT_DEFAULT } = asked.value;
    const found = await memory.search({ text, limit, words: "all" });
    return answer(reply, found.ok ? ok({ memories: found.value.map(memoryToWire) }) : found);
  });
  app.get("/api/memory/export", async (request, reply) => {
    const may = takeAct(context, callerOf(request));
    if (!may.ok) return context.refuse(reply, may.error);
    reply
      .header("content-disposition", 'attachment; filename="silas-memory.jsonl"')
      .header("cache-control", "no-store");
    const lines = memory.exportLines({ since: null, actor: actorOf(request) });
    return reply.type(LINES_TYPE).send(Readable.from(chunksOf(lines)));
  });
  app.get("/api/memory/:id", async (request, reply) => answer(reply, bodyOf(await memory.show(idOf(request)))));
  post("/api/memory", {
    schema: rememberSchema,
    work: async (request, wanted) => bodyOf(await memory.remember(wanted, actorOf(request))),
  });
  post("/api/memory/:id/change", {
    schema: changeMemorySchema,
    work: async (request, wanted) => bodyOf(await memory.change(idOf(request), { ...wanted, actor: actorOf(request) })),
  });
  post("/api/memory/:id/forget", {
    schema: memoryActSchema,
    work: async (request) => {
      const forgotten = await memory.forget(idOf(request), actorOf(request));
      return forgotten.ok ? ok({}) : forgotten;
    },
  });
  post("/api/memory/:id/promote", {
    schema: memoryActSchema,
    work: async (request) => proposedBody(await memory.promote(idOf(request), actorOf(request))),
  });
}

type Route<T> = {
  readonly schema: BodySchema<T>;
  readonly work: (request: FastifyRequest, body: T) => Promise<Result<object, Refusal>>;
};

const bodyOf = <E>(result: Result<MemoryItem, E>): Result<object, E> =>
  result.ok ? ok({ memory: memoryToWire(result.value) }) : result;

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
