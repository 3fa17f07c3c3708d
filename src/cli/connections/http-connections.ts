import { assert, ok, type Result } from "#base";
import { connectionViewSchema, type ConnectionView } from "#model";
import type { ConnectionsDoor } from "#ports";
import { proposedOf, type ProposedBody } from "../approvals/http-approvals.ts";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** A look and a discovery run a script of the skill, which may wait for its service. */
const SCRIPT_MS = 300_000;

/** The connections of a running instance: the same door as the local one. */
export function createHttpConnections(address: InstanceAddress): ConnectionsDoor {
  const call = async <T>(made: HttpCall): Promise<Result<T, never>> =>
    resultOf(await readAnswer(await callInstance(address, { ...made, silenceMs: SCRIPT_MS })));
  const post = <T>(path: string, value: object): Promise<Result<T, never>> =>
    call({ method: "POST", path, body: JSON.stringify(value) });
  return {
    list: async (domain) => {
      const listed = await call<Listed>({ method: "GET", path: "/api/connections" });
      if (!listed.ok) return listed;
      const views = listed.value.connections.map(whole);
      return ok(domain === undefined ? views : views.filter(({ record }) => record.domain === domain));
    },
    show: (id) => view(call({ method: "GET", path: of(id) })),
    connect: async ({ skill, hint }) => {
      const asked = await post<Connecting>("/api/connections/connect", { skill, identity_hint: hint });
      return asked.ok ? ok({ ...proposedOf(asked.value), connectionId: asked.value.connection_id }) : asked;
    },
    answer: (id, response) => view(post(`${of(id)}/step`, response)),
    cancel: (id) => view(post(`${of(id)}/cancel`, {})),
    check: (id) => view(post(`${of(id)}/check`, {})),
    recover: (id, { action }) => view(post(`${of(id)}/recover`, { action })),
    remove: async (id) => {
      const removed = await post<object>(`${of(id)}/remove`, {});
      return removed.ok ? ok() : removed;
    },
  };
}

type Shown = { readonly connection: unknown };
type Listed = { readonly connections: readonly unknown[] };
type Connecting = ProposedBody & { readonly connection_id: string };

async function view(asked: Promise<Result<Shown, never>>): Promise<Result<ConnectionView, never>> {
  const shown = await asked;
  return shown.ok ? ok(whole(shown.value.connection)) : shown;
}

const of = (id: string): string => `/api/connections/${encodeURIComponent(id)}`;

function whole(body: unknown): ConnectionView {
  const read = connectionViewSchema.safeParse(body).data;
  assert(read !== undefined, "the running Silas answers with connections that are whole");
  return read;
}
