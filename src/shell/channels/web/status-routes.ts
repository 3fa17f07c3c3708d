import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { modelToWire, type StatusBody } from "#model";
import { openFile, pickForm, createPageFiles, type PageFile } from "./page-files.ts";
import type { WebContext } from "./web-context.ts";

const NOT_A_PAGE = /^\/(api|session|sessions|ws|health)(\/|$)/;
const UNBUILT = "<!doctype html><title>Silas</title><p>The page is not built yet. Run <code>npm start</code>.</p>";

/** Health, status, and the page itself: the only data here without a session is how many sockets are open. [WEB-15] */
export function addStatusRoutes(app: FastifyInstance, context: WebContext): void {
  const { settings, sockets } = context;

  app.get("/health", { config: { open: true } }, async (_request, reply) =>
    reply.header("cache-control", "no-store").send({ status: "ok", connections: sockets.connections() }),
  );

  app.get("/api/status", async (_request, reply) => {
    const { url, startedAt } = context.place();
    const { backend, opensWith } = await context.secrets.vault();
    const stopped = await context.work.stops.current();
    if (!stopped.ok) return context.refuse(reply, stopped.error);
    const body: StatusBody = {
      version: settings.version,
      pid: process.pid,
      url,
      started_at: startedAt,
      mode: context.messages.talk.setting.kind === "set" ? "model" : "built_in",
      model: modelToWire(context.messages.talk.setting),
      data_dir: settings.dataDir,
      connections: sockets.connections(),
      owner_id: settings.ownerId,
      approval_valid_ms: settings.approvalTtlMs,
      stopped: stopped.value,
      hold: context.hold.current(),
      vault: { backend, opens_with: opensWith },
    };
    return reply.header("cache-control", "no-store").send(body);
  });

  const files = createPageFiles(settings.pageDir);
  app.get("/*", { config: { open: true } }, async (request, reply) => {
    const address = request.raw.url?.split("?")[0] ?? "/";
    if (NOT_A_PAGE.test(address)) return context.refuse(reply, { code: "route_not_found" });
    const file = await files.find(address, request.headers.accept ?? "");
    if (file !== null) return sendFile(request, reply, file);
    if (address === "/") return reply.code(503).type("text/html; charset=utf-8").send(UNBUILT);
    return context.refuse(reply, { code: "route_not_found" });
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  reply.header("cache-control", file.cacheControl).header("vary", "accept-encoding");
  const form = pickForm(file, String(request.headers["accept-encoding"] ?? ""));
  const etag = form === null ? file.etag : `${file.etag.slice(0, -1)}-${form.name}"`;
  reply.header("etag", etag);
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  if (form !== null) reply.header("content-encoding", form.name);
  reply.type(file.contentType).header("content-length", form?.bytes ?? file.bytes);
  return request.method === "HEAD" ? reply.send() : reply.send(openFile(form?.path ?? file.path));
}
