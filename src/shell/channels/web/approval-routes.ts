import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { err, ok, type Result } from "#base";
import {
  decideRequestSchema,
  keptRequestToWire,
  proposePayloadSchema,
  proposePlanSchema,
  requestSchema,
  type KeptRequest,
} from "#model";
import type { Proposed } from "#ports";
import type { Refusal } from "./refusals.ts";
import { readJsonBody, type BodySchema } from "./request-body.ts";
import { callerOf, type WebContext } from "./web-context.ts";

const TERMINAL = { kind: "terminal" } as const;

/**
 * Requests and approvals, for the terminal of this machine only: a decision that comes in here is signed by the vault's
 * key, and a page signs with a key of its own or not at all. [T6]
 */
export function addApprovalRoutes(app: FastifyInstance, context: WebContext): void {
  const { approvals } = context;
  const answer = (reply: FastifyReply, result: Result<object, Refusal>) =>
    result.ok ? reply.header("cache-control", "no-store").send(result.value) : context.refuse(reply, result.error);
  const post = <T>(path: string, schema: BodySchema<T>, work: (body: T) => Promise<Result<object, Refusal>>) =>
    app.post(path, async (request: FastifyRequest, reply) => {
      if (callerOf(request).kind !== "terminal") return answer(reply, err({ code: "terminal_only" }));
      const body = await readJsonBody(request.raw, { schema, timers: context.timers });
      return answer(reply, body.ok ? await work(body.value) : body);
    });
  const get = (path: string, list: () => Promise<Result<readonly KeptRequest[], Refusal>>) =>
    app.get(path, async (request, reply) => {
      if (callerOf(request).kind !== "terminal") return answer(reply, err({ code: "terminal_only" }));
      const listed = await list();
      return answer(reply, listed.ok ? ok({ requests: listed.value.map(keptRequestToWire) }) : listed);
    });

  get("/api/approvals/inbox", approvals.inbox);
  get("/api/approvals/missed", approvals.missed);
  get("/api/approvals/all", approvals.all);
  post("/api/approvals/propose", proposePlanSchema, async ({ markdown }) =>
    proposedBody(await approvals.propose(markdown, TERMINAL)),
  );
  post("/api/approvals/propose-payload", proposePayloadSchema, async ({ payload }) =>
    proposedBody(await approvals.proposePayload(payload, TERMINAL)),
  );
  post("/api/approvals/propose-again", requestSchema, async ({ request_id: id }) =>
    proposedBody(await approvals.proposeAgain(id, TERMINAL)),
  );
  post("/api/approvals/show", requestSchema, async ({ request_id: id }) => requestBody(await approvals.show(id)));
  post("/api/approvals/receipt", requestSchema, async ({ request_id: id }) => {
    const receipt = await approvals.receipt(id);
    return receipt.ok ? ok({ receipt: receipt.value }) : receipt;
  });
  post("/api/approvals/decide", decideRequestSchema, async ({ request_id: requestId, verdict, shown_hash, friction }) =>
    requestBody(await approvals.decide({ requestId, verdict, shownHash: shown_hash, friction, actor: TERMINAL })),
  );
}

const requestBody = <E>(result: Result<KeptRequest, E>): Result<object, E> =>
  result.ok ? ok(keptRequestToWire(result.value)) : result;

const proposedBody = <E>(result: Result<Proposed, E>): Result<object, E> =>
  result.ok ? ok({ request: keptRequestToWire(result.value.request), is_new: result.value.isNew }) : result;
