import type { IncomingMessage } from "node:http";
import { err, LIMITS, ok, parseStrictJson, type Result } from "#base";
import type { InvalidInput } from "#model";
import type { Timers } from "#ports";
import type { ChannelRefusal } from "./refusals.ts";

/** The part of a schema this room needs; `zod/mini` schemas of `#model` have it. */
export type BodySchema<T> = {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } };
};
type Issue = { readonly code: string; readonly path: readonly PropertyKey[]; readonly message: string };

type BodyReading<T> = { readonly schema: BodySchema<T>; readonly timers: Timers; readonly bytesMax?: number };

/** Reads a whole JSON body, bounded in size and time, strictly, and parses it by its schema. */
export async function readJsonBody<T>(
  stream: IncomingMessage,
  { schema, timers, bytesMax = LIMITS.bodyBytes }: BodyReading<T>,
): Promise<Result<T, ChannelRefusal | InvalidInput>> {
  const bytes = await readBytes(stream, { timers, bytesMax });
  if (!bytes.ok) return bytes;
  const text = decodeUtf8(bytes.value);
  bytes.value.fill(0);
  if (text === null) return err({ code: "invalid_utf8" });
  const json = parseStrictJson(text);
  if (!json.ok) {
    return err({ code: "invalid_json", reason: json.error.code, line: json.error.line, column: json.error.column });
  }
  return parseInput(schema, json.value);
}

export function parseInput<T>(schema: BodySchema<T>, value: unknown): Result<T, InvalidInput> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  const path = (issue?.path ?? []).map(String).join(".");
  const reason = issue === undefined ? "invalid" : issue.code === "custom" ? issue.message : issue.code;
  return err({ code: "invalid_input", path, reason });
}

/** Null when the bytes are not UTF-8. A byte order mark stays, so that strict JSON refuses it. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

type Reading = { readonly timers: Timers; readonly bytesMax: number };

/** What was read is overwritten once it is copied or refused: a body may be a secret. [SECRET-09] */
function readBytes(stream: IncomingMessage, { timers, bytesMax }: Reading): Promise<Result<Buffer, ChannelRefusal>> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const finish = (result: Result<Buffer, ChannelRefusal>) => {
      cancelTimer();
      stream.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      for (const chunk of chunks) chunk.fill(0);
      if (!result.ok) stream.resume();
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > bytesMax) finish(err({ code: "body_too_large", max: bytesMax }));
    };
    const onEnd = () => finish(ok(Buffer.concat(chunks)));
    const onGone = () => finish(err({ code: "bad_request" }));
    const cancelTimer = timers.after(LIMITS.requestBodyMs, () => finish(err({ code: "body_too_slow" })));
    stream.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}
