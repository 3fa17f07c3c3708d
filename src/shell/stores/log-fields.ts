import type { LogFields } from "#ports";

/**
 * The fields a log line may carry. Everything else is dropped and only its name is noted: what people write, and what
 * opens doors, never reaches the file because nobody thought of forbidding it.
 */
const ALLOWED = new Set([
  "action",
  "address",
  "attempt",
  "backup",
  "batch_id",
  "bytes",
  "code",
  "command_kind",
  "connection_id",
  "connections",
  "count",
  "counter",
  "data_dir",
  "delay_ms",
  "detail",
  "device_name",
  "duration_ms",
  "error_id",
  "field",
  "file",
  "frame_type",
  "host",
  "host_id",
  "id",
  "kind",
  "level",
  "limit",
  "line",
  "method",
  "migration",
  "mode",
  "node",
  "operation_id",
  "origin",
  "path",
  "pid",
  "port",
  "reason",
  "record_id",
  "remote",
  "request_id",
  "retryable",
  "route",
  "rows",
  "session_id",
  "signal",
  "size",
  "stage",
  "started_at",
  "state",
  "status",
  "step",
  "store",
  "timer",
  "url",
  "version",
]);

const TEXT_CHARS = 300;

/** The allowed fields, shortened and safe on one line; `cause` becomes its name, code and message. */
export function allowedFields(fields: LogFields): LogFields {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (snake === "cause" || snake === "error") kept[snake] = causeOf(value);
    else if (ALLOWED.has(snake)) kept[snake] = plain(snake, value);
    else dropped.push(snake.slice(0, 40));
  }
  return dropped.length === 0 ? kept : { ...kept, dropped };
}

function plain(name: string, value: unknown): unknown {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "string") return `[${typeof value}]`;
  // Queries and fragments may carry codes and words of people; where a request went is enough.
  const text = name === "url" || name === "path" || name === "route" ? value.replace(/[?#].*$/su, "") : value;
  return text.slice(0, TEXT_CHARS);
}

function causeOf(cause: unknown): unknown {
  if (!(cause instanceof Error)) {
    const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
    return typeof code === "string" ? { code: code.slice(0, TEXT_CHARS) } : `[${typeof cause}]`;
  }
  const { code } = cause as { code?: unknown };
  return {
    name: cause.name,
    ...(typeof code === "string" ? { code } : {}),
    message: cause.message.slice(0, TEXT_CHARS),
    at:
      cause.stack
        ?.split("\n")
        .slice(1, 6)
        .map((line) => line.trim()) ?? [],
  };
}
