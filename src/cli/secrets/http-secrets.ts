import { ok, type Result } from "#base";
import {
  wantedSecretFromWire,
  wantedSecretToWire,
  type ListedSecretBody,
  type SecretRef,
  type SecretsBody,
  type SecureInputBody,
  type SecureInputRequest,
  type ListedSecret,
} from "#model";
import type { SecretsDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** What verbs do with secrets. */
export type Secrets = Pick<SecretsDoor, "ask" | "list" | "store" | "remove">;

/** The secrets of a running instance: the same door as the local one. A secret travels to this machine alone. */
export function createHttpSecrets(address: InstanceAddress): Secrets {
  const call = async <T, E>(made: HttpCall): Promise<Result<T, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const post = <T, E>(path: string, value: object): Promise<Result<T, E>> =>
    call({ method: "POST", path, body: JSON.stringify(value) });
  return {
    ask: async (wanted) => {
      const asked = await post<AskedBody, never>("/api/secrets/ask", wantedSecretToWire(wanted));
      if (!asked.ok) return asked;
      return ok({ request: requestOf(asked.value.request, "pending"), isNew: asked.value.is_new });
    },
    list: async () => {
      const listed = await call<SecretsBody, never>({ method: "GET", path: "/api/secrets" });
      return listed.ok ? ok(listed.value.secrets.map(listedOf)) : listed;
    },
    store: async ({ refId, secret }) => {
      const value = Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength).toString("utf8");
      secret.fill(0);
      const stored = await post<{ readonly stored: boolean }, never>(`/secrets/${refId}`, { value });
      return stored.ok ? ok({ refId, success: stored.value.stored }) : stored;
    },
    remove: async (refId) => {
      const removed = await post<object, never>("/api/secrets/remove", { ref_id: refId });
      return removed.ok ? ok() : removed;
    },
  };
}

// Our own server wrote these.
type AskedBody = { readonly request: SecureInputBody; readonly is_new: boolean };

const requestOf = (body: SecureInputBody, state: SecureInputRequest["state"]): SecureInputRequest => ({
  ...wantedSecretFromWire(body),
  createdAt: body.created_at as SecureInputRequest["createdAt"],
  expiresAt: body.expires_at as SecureInputRequest["expiresAt"],
  state,
  requestedBy: { kind: "terminal" },
});

const listedOf = ({ ref_id: refId, state, stored: isStored, request }: ListedSecretBody): ListedSecret => ({
  refId: refId as SecretRef,
  request: request === null || state === null ? null : requestOf(request, state),
  isStored,
});
