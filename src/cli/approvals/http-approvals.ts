import { assert, ok, type Result, type Sha256Hex } from "#base";
import { keptRequestFromWire, type KeptRequest, type KeptRequestBody, type ShownRequestBody } from "#model";
import type { ApprovalsDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** What verbs do with requests and approvals; the queue of a page and its signatures are for browsers. */
export type Approvals = Omit<ApprovalsDoor, "summary" | "prepareApproval" | "completeApproval">;

/** Requests and approvals behind a running instance: the same door as the local one. */
export function createHttpApprovals(address: InstanceAddress): Approvals {
  const call = async <T, E>(made: HttpCall): Promise<Result<T, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const post = <T, E>(verb: string, value: object): Promise<Result<T, E>> =>
    call({ method: "POST", path: `/api/approvals/${verb}`, body: JSON.stringify(value) });
  const list = async (which: string) =>
    mapped(
      await call<{ readonly requests: readonly KeptRequestBody[] }, never>({
        method: "GET",
        path: `/api/approvals/${which}`,
      }),
      ({ requests }) => requests.map(requestOf),
    );
  return {
    check: async (markdown) =>
      mapped(await post<CheckedBody, never>("check", { markdown }), ({ projection, plan_hash: planHash }) => ({
        projection,
        planHash,
      })),
    propose: async (markdown) => mapped(await post<ProposedBody, never>("propose", { markdown }), proposedOf),
    proposePayload: async (payload) =>
      mapped(await post<ProposedBody, never>("propose-payload", { payload }), proposedOf),
    proposeAgain: async (id) =>
      mapped(await post<ProposedBody, never>("propose-again", { request_id: id }), proposedOf),
    inbox: () => list("inbox"),
    missed: () => list("missed"),
    all: () => list("all"),
    show: async (id) =>
      mapped(
        await post<ShownRequestBody, never>("show", { request_id: id }),
        ({ decided_by_name: _name, schedule: _times, ...body }) => requestOf(body),
      ),
    decide: async ({ requestId, verdict, shownHash, friction, answer }) =>
      mapped(
        await post<KeptRequestBody, never>("decide", {
          request_id: requestId,
          verdict,
          shown_hash: shownHash,
          friction,
          ...(answer === undefined ? {} : { answer }),
        }),
        requestOf,
      ),
    select: async ({ requestId, itemIds }) =>
      mapped(
        await post<ProposedBody, never>(`${encodeURIComponent(requestId)}/selection`, { selected_item_ids: itemIds }),
        proposedOf,
      ),
    receipt: async (id) =>
      mapped(await post<{ readonly receipt: string }, never>("receipt", { request_id: id }), ({ receipt }) => receipt),
  };
}

// Our own server wrote these.
type CheckedBody = { readonly projection: string; readonly plan_hash: Sha256Hex };
export type ProposedBody = { readonly request: KeptRequestBody; readonly is_new: boolean };

export const proposedOf = ({ request, is_new: isNew }: ProposedBody) => ({ request: requestOf(request), isNew });

function requestOf(body: KeptRequestBody): KeptRequest {
  const request = keptRequestFromWire(body);
  assert(request !== null, "the running Silas answers with requests that are whole");
  return request;
}

const mapped = <T, U, E>(result: Result<T, E>, map: (value: T) => U): Result<U, E> =>
  result.ok ? ok(map(result.value)) : result;
