import type { DecisionRowBody } from "#model";
import { words } from "../words.ts";

/** Where a decision was made. */
export function placeWords(by: DecisionRowBody["decided_by"]): string {
  if (by === null || by.kind === "system") return words.decided.bySilas;
  if (by.kind === "terminal") return words.decided.onTerminal;
  return by.device_name === null ? words.decided.onAnother : words.decided.onDevice(by.device_name);
}
