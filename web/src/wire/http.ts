import { err, ok, type Result } from "#base";
import type { AnswerOf, ErrorBody, JournalOutcome, JournalQuery, JournalRequest, StatusBody } from "#model";
import { forgetSession, sessionToken } from "../session/session.ts";
import { markOffline } from "./connection.ts";

/** Why a request gave no answer. `unreachable` is the only one that may be tried again without a person. */
export type WireError = {
  readonly code: string;
  readonly message: string;
  readonly errorId: string | null;
  readonly facts: { readonly [name: string]: unknown };
};
type Answer<T> = Promise<Result<T, WireError>>;

export const UNREACHABLE = "unreachable";

export const submitToServer = (json: JournalRequest): Answer<JournalOutcome> =>
  send("/api/journal/command", { method: "POST", json });

export const askServer = <Q extends JournalQuery>(query: Q): Answer<AnswerOf<Q>> =>
  send("/api/journal/query", { method: "POST", json: query });

export const readStatus = (): Answer<StatusBody> => send("/api/status", { method: "GET" });

type Outgoing = { readonly method: string; readonly json?: unknown; readonly body?: BodyInit; readonly type?: string };

export async function send<T>(path: string, outgoing: Outgoing): Answer<T> {
  const response = await request(path, outgoing);
  if (!response.ok) return response;
  try {
    const text = await response.value.text();
    return ok((text === "" ? null : JSON.parse(text)) as T);
  } catch {
    // Half an answer is none, and whoever waits for it would wait for ever.
    return unreachable();
  }
}

/** The raw answer, for bodies that are not JSON. */
export async function request(path: string, outgoing: Outgoing): Answer<Response> {
  const token = sessionToken();
  const headers = new Headers();
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  if (outgoing.json !== undefined) headers.set("content-type", "application/json");
  if (outgoing.type !== undefined) headers.set("content-type", outgoing.type);
  const body = outgoing.json === undefined ? (outgoing.body ?? null) : JSON.stringify(outgoing.json);
  try {
    const response = await fetch(path, { method: outgoing.method, headers, body, cache: "no-store" });
    if (response.ok) return ok(response);
    if (response.status === 401 && token === sessionToken()) forgetSession();
    return err(await errorOf(response));
  } catch {
    return unreachable();
  }
}

function unreachable(): Result<never, WireError> {
  markOffline();
  return err({ code: UNREACHABLE, message: "", errorId: null, facts: {} });
}

async function errorOf(response: Response): Promise<WireError> {
  const fallback = { code: `http_${response.status}`, message: "", errorId: null, facts: {} };
  try {
    const body = (await response.json()) as Partial<ErrorBody>;
    if (typeof body.error?.code !== "string") return fallback;
    const { code, message, ...facts } = body.error;
    return { code, message, errorId: body.error_id ?? null, facts };
  } catch {
    return fallback;
  }
}
