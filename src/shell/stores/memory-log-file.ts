import type { Clock, Log, LogFields } from "#ports";
import { allowedFields } from "./log-fields.ts";
import { eventOf } from "./log-file.ts";

/** The in-memory twin of the log file: its lines, each as the file would hold it. */
export function createMemoryLog(clock: Clock): Log & { readonly lines: () => readonly object[] } {
  const kept: string[] = [];
  const write =
    (level: "info" | "warn" | "error") =>
    (event: string, fields: LogFields = {}): void =>
      void kept.push(JSON.stringify({ level, at: clock.now(), ...allowedFields(fields), event: eventOf(event) }));
  return {
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    lines: () => kept.map((line) => JSON.parse(line) as object),
  };
}
