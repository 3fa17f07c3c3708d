import * as z from "zod/mini";
import { LIMITS } from "#base";
import { many, required, type ValueKind } from "../config-nodes.ts";
import { CONNECTION_ID, PERMISSION } from "../connection/connection-record.ts";
import { longLine } from "./work-keys.ts";
import { prose, shownLine } from "./work-kinds.ts";
import { maxLength, minLength } from "../values.ts";

/** Values that the arguments of tools are made of. The records themselves belong to the tools. */

/* @__NO_SIDE_EFFECTS__ */
export function place(doc: string) {
  return required(longLine("pathChars"), doc);
}

/* @__NO_SIDE_EFFECTS__ */
export function connectionName() {
  return shownLine({
    charsMax: 21,
    pattern: CONNECTION_ID,
    expected: "the id of a connection, such as conn-0123456789abcdef",
  });
}

/* @__NO_SIDE_EFFECTS__ */
export function permissionNames() {
  return many(
    shownLine({ charsMax: 128, pattern: PERMISSION, expected: "a permission of the skill" }),
    LIMITS.planParts,
  );
}

/** Answers to choose from. */
/* @__NO_SIDE_EFFECTS__ */
export function answerOptions(): ValueKind<readonly { readonly label: string; readonly value: string }[]> {
  const line = shownLine().schema;
  return {
    schema: z.array(z.strictObject({ label: line, value: line })).check(maxLength(LIMITS.askOptions)),
    expected: `at most ${LIMITS.askOptions} maps of label and value, each one line`,
    reading: "document",
    role: "plain",
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function fileDigest() {
  return shownLine({ charsMax: 64, pattern: /^[0-9a-f]{64}$/, expected: "a SHA-256 digest in lower-case hex" });
}

/* @__NO_SIDE_EFFECTS__ */
export function argumentWords() {
  return many(prose(LIMITS.commandChars), LIMITS.commandWords);
}

/* @__NO_SIDE_EFFECTS__ */
export function domainNames() {
  const expected = "a domain in lower case";
  return many(shownLine({ charsMax: 253, pattern: /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, expected }), LIMITS.planParts);
}

/** A script, or what a file holds. */
/* @__NO_SIDE_EFFECTS__ */
export function sourceText() {
  return prose(LIMITS.planFrontMatterChars);
}

/** Text that is searched for: empty it would be found everywhere. */
/* @__NO_SIDE_EFFECTS__ */
export function soughtText(): ValueKind<string> {
  const kind = prose(LIMITS.planTextChars);
  return {
    ...kind,
    schema: z.string().check(minLength(1), maxLength(LIMITS.planTextChars), z.refine(accepts(kind))),
    expected: `some ${kind.expected}`,
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function commandLine(): ValueKind<readonly string[]> {
  const kind = argumentWords();
  const hasProgram = z.refine<readonly string[]>(([program]) => program !== undefined && program !== "");
  return {
    ...kind,
    schema: z.pipe(kind.schema, z.array(z.string()).check(hasProgram)),
    expected: `a program and its arguments`,
  };
}

/* @__NO_SIDE_EFFECTS__ */
function accepts(kind: ValueKind<string>) {
  return (text: string): boolean => kind.schema.safeParse(text).success;
}
