import type { Instant, JsonValue } from "#base";
import type { WorkItem } from "../work/work-records.ts";

/** The level everyone starts at. */
export const PUBLIC_LEVEL = "public";
/** What the owner has instead of a level; no goal can take it away. */
export const OWNER_LEVEL = "owner";

type AccessLevel = WorkItem["accessLevels"][string];
/** The levels of a goal in the order they were declared, which is their rank. */
export type AccessLadder = readonly { readonly name: string; readonly level: AccessLevel }[];

/** A customer as the owner's own file describes them. */
export type CustomerContext = { readonly [field: string]: JsonValue };

/** What one connection has reached. It belongs to that connection alone. [ACC-16] */
export type AccessState = {
  readonly level: string;
  /** Names of gates it has passed. */
  readonly verified: readonly string[];
  readonly customer: CustomerContext | null;
  readonly grantedAt: Instant | null;
};

/** What a connection may do now. */
export type Access = { readonly level: string; readonly tools: readonly string[] };
