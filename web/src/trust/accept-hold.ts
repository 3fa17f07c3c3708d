import { type Result } from "#base";
import { acceptStatement, signatureToHex, type AcceptHoldBody, type HoldBody } from "#model";
import { send } from "../wire/http.ts";
import { signText } from "./device-key.ts";
import { signingKey, type SignFailure } from "./sign-request.ts";

/** Accepts the database that is shown, signed with the key of this browser. */
export async function acceptHold({ seq, hash }: HoldBody): Promise<Result<object, SignFailure>> {
  const key = await signingKey();
  if (!key.ok) return key;
  const { sessionId, keyId } = key.value;
  const signature = signatureToHex(await signText(key.value, acceptStatement({ seq, hash, sessionId })));
  const json: AcceptHoldBody = { seq, hash, signed: { key_id: keyId, signature } };
  return send("/api/hold/accept", { method: "POST", json });
}
