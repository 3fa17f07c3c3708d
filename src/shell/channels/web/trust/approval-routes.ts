import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { err, ok, type Result } from "#base";
import {
  decideRequestSchema,
  keptRequestToWire,
  mintRequestSchema,
  proposePayloadSchema,
  proposePlanSchema,
  requestSchema,
  signRequestSchema,
  type KeptRequest,
} from "#model";
import type { Caller } from "../device-sessions.ts";
import type { Refusal } from "../refusals.ts";
import { readJsonBody, type BodySchema } from "../request-body.ts";
import { actorOf, callerOf, type WebContext } from "../web-context.ts";
import {
  checkedBody,
  createDeviceNames,
  mintedBody,
  proposedBody,
  receiptBody,
  requestBody,
  shownBody,
  summaryBody,
} from "./approval-bodies.ts";
import { takeTry } from "./signing-tries.ts";

type Answer = Promise<Result<object, Refusal>>;
type Route<T> = {
  readonly path: string;
  readonly schema: BodySchema<T>;
  readonly for: readonly Caller["kind"][];
  readonly work: (body: T, request: FastifyRequest) => Answer;
};

const TERMINAL = ["terminal"] as const;
const DEVICE = ["device"] as const;
const OWNER = ["terminal", "device"] as const;

/**
 * Requests and approvals. A signed-in browser sees them, declines them and approves them with signatures of its own key;
 * an approval without signatures is signed by the vault's key, and only the terminal of this machine may ask for that.
 * Nothing here can mint or sign: these routes carry answers to the door behind them. [T6] [FLOW-18]
 */
export function addApprovalRoutes(app: FastifyInstance, context: WebContext): void {
  const { approvals } = context;
  const post = <T>(route: Route<T>) => addPost({ app, context }, route);
  const get = (path: string, list: () => Promise<Result<readonly KeptRequest[], Refusal>>) =>
    app.get(path, async (request, reply) => {
      if (callerOf(request).kind !== "terminal") return answer(context, reply, err({ code: "terminal_only" }));
      const listed = await list();
      return answer(context, reply, listed.ok ? ok({ requests: listed.value.map(keptRequestToWire) }) : listed);
    });

  get("/api/approvals/inbox", approvals.inbox);
  get("/api/approvals/missed", approvals.missed);
  get("/api/approvals/all", approvals.all);
  post({
    path: "/api/approvals/check",
    schema: proposePlanSchema,
    for: TERMINAL,
    work: async ({ markdown }) => checkedBody(await approvals.check(markdown)),
  });
  post({
    path: "/api/approvals/propose",
    schema: proposePlanSchema,
    for: TERMINAL,
    work: async ({ markdown }, request) => proposedBody(await approvals.propose(markdown, actorOf(request))),
  });
  post({
    path: "/api/approvals/propose-payload",
    schema: proposePayloadSchema,
    for: TERMINAL,
    work: async ({ payload }, request) => proposedBody(await approvals.proposePayload(payload, actorOf(request))),
  });
  post({
    path: "/api/approvals/propose-again",
    schema: requestSchema,
    for: OWNER,
    work: async ({ request_id: id }, request) => proposedBody(await approvals.proposeAgain(id, actorOf(request))),
  });
  post({
    path: "/api/approvals/receipt",
    schema: requestSchema,
    for: OWNER,
    work: async ({ request_id: id }) => receiptBody(await approvals.receipt(id)),
  });
  addReading({ app, context });
  addDeciding({ app, context });
}

type Routes = { readonly app: FastifyInstance; readonly context: WebContext };

function addReading({ app, context }: Routes): void {
  const names = createDeviceNames(context.sessions);
  app.get("/api/approvals/summary", async (request, reply) => {
    const allowed = mayCall(callerOf(request), OWNER);
    const read = allowed.ok ? await context.approvals.summary() : allowed;
    return answer(context, reply, read.ok ? await summaryBody(read.value, names) : read);
  });
  addPost(
    { app, context },
    {
      path: "/api/approvals/show",
      schema: requestSchema,
      for: OWNER,
      work: async ({ request_id: id }) =>
        shownBody(await context.approvals.show(id), { names, timesOf: context.work.timesOf }),
    },
  );
}

function addDeciding({ app, context }: Routes): void {
  const { approvals } = context;
  const post = <T>(route: Route<T>) => addPost({ app, context }, route);
  post({
    path: "/api/approvals/decide",
    schema: decideRequestSchema,
    for: OWNER,
    work: async ({ request_id: requestId, shown_hash: shownHash, ...said }, request) => {
      const isPage = callerOf(request).kind === "device";
      if (isPage && said.verdict === "approved") return err({ code: "device_signature_needed" });
      return requestBody(await approvals.decide({ requestId, shownHash, ...said, actor: actorOf(request) }));
    },
  });
  post({
    path: "/api/approvals/mint",
    schema: mintRequestSchema,
    for: DEVICE,
    work: async ({ request_id: requestId, shown_hash: shownHash, key_id: keyId, ...said }, request) => {
      const { sessionId } = callerOf(request);
      const may = takeTry(context, callerOf(request));
      if (!may.ok) return may;
      return mintedBody(await approvals.prepareApproval({ requestId, sessionId, shownHash, keyId, ...said }));
    },
  });
  post({
    path: "/api/approvals/sign",
    schema: signRequestSchema,
    for: DEVICE,
    work: async ({ request_id: requestId, signatures, passkey_assertion: assertion }, request) => {
      const { sessionId } = callerOf(request);
      const may = takeTry(context, callerOf(request));
      if (!may.ok) return may;
      const given = signatures.map(({ token_id: tokenId, signature }) => ({ tokenId, signature }));
      return requestBody(await approvals.completeApproval({ requestId, sessionId, signatures: given, assertion }));
    },
  });
}

function addPost<T>({ app, context }: Routes, { path, schema, for: kinds, work }: Route<T>): void {
  app.post(path, async (request, reply) => {
    const allowed = mayCall(callerOf(request), kinds);
    if (!allowed.ok) return answer(context, reply, allowed);
    const body = await readJsonBody(request.raw, { schema, timers: context.timers });
    return answer(context, reply, body.ok ? await work(body.value, request) : body);
  });
}

/** A caller whose kind is not named is refused; which kinds may is said at each route. */
function mayCall({ kind }: Caller, kinds: readonly Caller["kind"][]): Result<void, Refusal> {
  if (kinds.includes(kind)) return ok();
  return err({ code: kinds.includes("device") ? "device_only" : "terminal_only" });
}

function answer(context: WebContext, reply: FastifyReply, result: Result<object, Refusal>): FastifyReply {
  if (!result.ok) return context.refuse(reply, result.error);
  return reply.header("cache-control", "no-store").send(result.value);
}
