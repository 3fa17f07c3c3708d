import * as fc from "fast-check";
import { expect, test } from "vitest";
import { must } from "../store.fixture.ts";
import { parseDocument, renderDocument, type FileDocument } from "./vault-document.ts";

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString("hex"));
const sealed = fc.record({ nonce: hex(12), sealed: hex(40) });
const documents: fc.Arbitrary<FileDocument> = fc.record({
  format: fc.constant("silas-vault" as const),
  version: fc.constant(1 as const),
  vault_id: hex(16),
  backend: fc.constant("encrypted_file" as const),
  opens_with: fc.constantFrom("passphrase" as const, "key_file" as const),
  kdf: fc.record({
    name: fc.constant("scrypt" as const),
    n: fc.constantFrom(1024, 131_072),
    r: fc.constant(8),
    p: fc.constant(1),
    salt: hex(16),
  }),
  check: sealed,
  entries: fc.dictionary(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/), sealed, { maxKeys: 4 }),
});

test("a document is read as it was written", () => {
  fc.assert(
    fc.property(documents, (document) => {
      expect(must(parseDocument(renderDocument(document)))).toEqual(document);
    }),
  );
});

test("whatever lies in the file, reading it answers and never throws", () => {
  const broken = fc
    .tuple(documents, fc.nat(), fc.nat(), fc.string({ maxLength: 3 }))
    .map(([document, at, length, put]) => {
      const text = renderDocument(document);
      const from = at % text.length;
      return text.slice(0, from) + put + text.slice(from + (length % 5));
    });
  fc.assert(
    fc.property(fc.oneof(broken, fc.string(), fc.json()), (text) => {
      const parsed = parseDocument(text);
      expect(parsed.ok || parsed.error.code === "vault_damaged").toBe(true);
    }),
  );
});
