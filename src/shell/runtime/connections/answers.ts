import { parseStrictJson } from "#base";
import { connectionFailureSchema, type ConnectionFailure } from "#model";
import type { ScriptFault } from "./run-script.ts";

/** The one line a script of request and answer says; null when it said anything else. */
export function oneAnswer(stdout: string): unknown {
  const lines = stdout.split("\n").filter((line) => line.trim() !== "");
  const read = lines.length === 1 ? parseStrictJson(lines[0] ?? "") : null;
  return read !== null && read.ok ? read.value : null;
}

/** What a script said that failed, or what is made of its silence, so that there always is a card. [CONN-15] */
export function failureOf(service: string, said: unknown): ConnectionFailure {
  const read = connectionFailureSchema.safeParse(said);
  if (read.success) return read.data;
  return unknownFailure(service, "The script of the connection did not say what happened.");
}

export const unknownFailure = (service: string, message: string): ConnectionFailure => ({
  failure_type: "unknown",
  service,
  message,
  recovery_options: [],
});

export const faultFailure = (service: string, { detail }: ScriptFault): ConnectionFailure =>
  unknownFailure(service, `It did not work: ${detail}.`);
