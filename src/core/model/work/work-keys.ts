import { LIMITS } from "#base";
import { key, listOf, many, nullable, type ConfigGroup, type ValueKind } from "../config-nodes.ts";
import { prose, shownLine, workId, workName } from "./work-kinds.ts";

/**
 * Keys that several records of work share. They read the limits inside functions, and lie in a file of their own, so
 * that a page which knows nothing of work drops every record made of them.
 */

/* @__NO_SIDE_EFFECTS__ */
export function skillName() {
  return shownLine({
    charsMax: 64,
    pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    expected: "a skill name of lower-case letters, digits and single hyphens",
  });
}

/* @__NO_SIDE_EFFECTS__ */
export function artifactKey() {
  return shownLine({
    charsMax: LIMITS.idChars,
    pattern: /^(?:\*|[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*)$/,
    expected: "the name of an artifact, or *",
  });
}

/* @__NO_SIDE_EFFECTS__ */
export function text(doc: string) {
  return key(nullable(longText()), { is: null, doc });
}
/* @__NO_SIDE_EFFECTS__ */
export function idOrNull(doc: string) {
  return key(nullable(workId()), { is: null, doc });
}
/* @__NO_SIDE_EFFECTS__ */
export function ids(doc: string) {
  return key(several(workId()), { is: [], doc });
}
/* @__NO_SIDE_EFFECTS__ */
export function names(doc: string) {
  return key(several(workName()), { is: [], doc });
}
/* @__NO_SIDE_EFFECTS__ */
export function command() {
  return prose(LIMITS.commandChars);
}
/* @__NO_SIDE_EFFECTS__ */
export function longText() {
  return prose(LIMITS.planTextChars);
}
/* @__NO_SIDE_EFFECTS__ */
export function longLine(limit: "patternChars" | "pathChars" | "titleChars") {
  return shownLine({ charsMax: LIMITS[limit] });
}
/* @__NO_SIDE_EFFECTS__ */
export function several<T>(kind: ValueKind<T>) {
  return many(kind, LIMITS.planNames);
}
/* @__NO_SIDE_EFFECTS__ */
export function partsOf<G extends ConfigGroup>(item: G, doc: string) {
  return listOf(item, { itemsMax: LIMITS.planParts, fallback: [], doc });
}

/* @__NO_SIDE_EFFECTS__ */
export function stepsOf<G extends ConfigGroup>(item: G, doc: string) {
  return listOf(item, { itemsMax: LIMITS.planSteps, fallback: [], doc });
}

/** Both sets of keys. A spread outside of a function would count as an effect, and keep everything it names. */
/* @__NO_SIDE_EFFECTS__ */
export function together<A extends object, B extends object>(one: A, other: B): A & B {
  return { ...one, ...other };
}
