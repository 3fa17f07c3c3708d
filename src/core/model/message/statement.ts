import { assert, canonicalJson, type Instant } from "#base";

/**
 * A signature over these bytes says "I wrote this message" and nothing else: without the first line a message could be
 * worded so that its signature is one over another statement of Silas.
 */
const DOMAIN = "silas-message-v1\n";

type MessageStatement = { readonly text: string; readonly timestamp: Instant; readonly nonce: string };

/** The text whose UTF-8 bytes are signed: the domain, then RFC 8785 of exactly these three. [MSG-02] */
export function messageSigningText({ text, timestamp, nonce }: MessageStatement): string {
  const canonical = canonicalJson({ text, timestamp, nonce });
  assert(canonical.ok, "MSG-02 a message has canonical bytes");
  return DOMAIN + canonical.value;
}
