import * as z from "zod/mini";
import { signatureFromBase64 } from "./signature.ts";

/** A signature as it travels: base64 of exactly 64 bytes, in its one spelling. [APPR-03] */
export const signatureSchema = z.pipe(
  z.string(),
  z.transform((text, context): Uint8Array => {
    const bytes = signatureFromBase64(text);
    if (bytes.ok) return bytes.value;
    context.issues.push({ code: "custom", message: bytes.error.code, input: text });
    return z.NEVER;
  }),
);
