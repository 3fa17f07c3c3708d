import { err, ok, type Result } from "#base";
import { onlyTightens, readPayload, type ShownRequestBody } from "#model";
import { showRequest } from "../review/review-reads.ts";
import { signRequest, type SignFailure } from "../trust/index.ts";
import { send, type WireError } from "../wire/http.ts";

export type TightenFailure = SignFailure | WireError | { readonly code: "not_tightening" };
type Tightened = { readonly request: ShownRequestBody; readonly limits: number };

/**
 * One tap: the server asks to have widened limits taken back, and this browser signs exactly that. It is read before it is
 * signed: whatever would widen anything is not signed by this way. [AUTO-16]
 */
export async function tightenApprovals(instead: string | null): Promise<Result<Tightened, TightenFailure>> {
  const asked = await send<{ readonly request: { readonly request_id: string } }>("/api/autonomy/tighten", {
    method: "POST",
    json: { request_id: instead },
  });
  if (!asked.ok) return asked;
  const fresh = await showRequest(asked.value.request.request_id);
  if (!fresh.ok) return fresh;
  const { kind, projection } = fresh.value;
  const read = kind === "autonomy_threshold" ? readPayload(kind, projection) : null;
  const payload = read?.ok ? read.value.payload : null;
  if (payload?.kind !== "autonomy_threshold" || !onlyTightens(payload.changes)) return err({ code: "not_tightening" });
  const signed = await signRequest({ request: fresh.value, friction: ["tap"] });
  return signed.ok ? ok({ request: signed.value, limits: payload.changes.length }) : signed;
}
