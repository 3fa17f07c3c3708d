import * as z from "zod/mini";
import { decoded } from "../values.ts";
import { signatureFromBase64, signatureToBase64 } from "./signature.ts";

/** A signature as it travels: base64 of exactly 64 bytes, in its one spelling. [APPR-03] */
export const signatureSchema = z.codec(z.string(), decoded<Uint8Array>(), {
  decode: (text, context) => {
    const bytes = signatureFromBase64(text);
    if (bytes.ok) return bytes.value;
    context.issues.push({ code: "custom", message: bytes.error.code, input: text });
    return z.NEVER;
  },
  encode: signatureToBase64,
});
