// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash } = process.getBuiltinModule("node:crypto");

/**
 * Everything that shows a secret to whoever reads it: the bytes themselves, as hex, base64 (also as a part of something
 * longer), percent encoding and JSON, and its digest, by which it could be recognised. A program that wants to hide a
 * secret in what it prints still can; this finds what happens by mistake.
 */
export function tracesOf(secret: Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const text = bytes.toString("utf8");
  const percent = hex.replaceAll(/../g, "%$&");
  const url = encodeURIComponent(text.toWellFormed());
  const texts = [
    hex,
    hex.toUpperCase(),
    percent,
    percent.toUpperCase(),
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(text).slice(1, -1),
    createHash("sha256").update(bytes).digest("hex"),
    ...[0, 1, 2].flatMap((offset) => base64Parts(bytes, offset)),
  ];
  return [bytes, ...[...new Set(texts)].filter((one) => one !== text).map((one) => Buffer.from(one))];
}

const BITS_OF_BYTE = 8;
const BITS_OF_CHARACTER = 6;

/** The characters that stand for it wherever it begins in what is encoded, in both alphabets. */
function base64Parts(bytes: Buffer, offset: number): readonly string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const first = Math.ceil((offset * BITS_OF_BYTE) / BITS_OF_CHARACTER);
  const end = Math.floor((whole.length * BITS_OF_BYTE) / BITS_OF_CHARACTER);
  return (["base64", "base64url"] as const).map((alphabet) => whole.toString(alphabet).slice(first, end));
}
