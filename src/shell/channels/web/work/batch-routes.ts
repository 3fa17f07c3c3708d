import * as z from "zod/mini";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { err, LIMITS, ok } from "#base";
import { keptRequestToWire, selectItemsSchema, undoRunSchema, undoToWire, maxLength } from "#model";
import type { Proposed } from "#ports";
import { readJsonBody } from "../request-body.ts";
import { proposedBody } from "../trust/approval-bodies.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";
import { answer, type Route } from "./answered.ts";

const tidySchema = z.strictObject({ folder: z.string().check(maxLength(LIMITS.pathChars)) });

/**
 * Batches: choosing among their items, proposing them and taking them back. Nothing here signs or approves: a choice is
 * asked about anew, and a way back was approved together with its batch. Only the terminal has a folder looked at, since
 * what lies in it is shown.
 */
export function addBatchRoutes(app: FastifyInstance, context: WebContext): void {
  const { approvals, work } = context;
  const post = <T>(path: string, route: Route<T>) =>
    app.post(path, async (request, reply) => {
      const body = await readJsonBody(request.raw, { schema: route.schema, timers: context.timers });
      return answer(context, { reply, result: body.ok ? await route.work(request, body.value) : body });
    });
  post("/api/approvals/:id/selection", {
    schema: selectItemsSchema,
    work: async (request, { selected_item_ids: itemIds }) =>
      proposedBody(await approvals.select({ requestId: idOf(request), itemIds, actor: actorOf(request) })),
  });
  post("/api/batches/tidy", {
    schema: tidySchema,
    work: async (request, { folder }) => {
      if (callerOf(request).kind !== "terminal") return err({ code: "terminal_only" });
      const tidied = await work.batches.tidy(folder, actorOf(request));
      if (!tidied.ok) return tidied;
      const { asked, leftAlone, ...counts } = tidied.value;
      return ok({ ...counts, asked: asked === null ? null : wireOf(asked), left_alone: leftAlone });
    },
  });
  post("/api/work/:id/undo", {
    schema: undoRunSchema,
    work: async (request) => {
      const undone = await work.batches.undo(idOf(request), actorOf(request));
      return undone.ok ? ok({ undo: undoToWire(undone.value) }) : undone;
    },
  });
  post("/api/work/:id/undo/propose", {
    schema: undoRunSchema,
    work: async (request) => proposedBody(await work.batches.proposeUndo(idOf(request), actorOf(request))),
  });
}

const wireOf = ({ request, isNew }: Proposed) => ({ request: keptRequestToWire(request), is_new: isNew });

const idOf = (request: FastifyRequest): string =>
  String((request.params as { readonly id?: unknown }).id ?? "").slice(0, LIMITS.idChars);
