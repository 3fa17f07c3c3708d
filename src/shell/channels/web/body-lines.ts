import type { IncomingMessage } from "node:http";
import { LIMITS } from "#base";
import type { Timers } from "#ports";
import type { ChannelRefusal } from "./refusals.ts";
import { decodeUtf8 } from "./request-body.ts";

/**
 * Ends a streamed body early. A line iterator has no other way to say that the rest will not come; the route catches it
 * right where the iterator was handed out, and nothing was written by then.
 */
export class BodyRefused extends Error {
  override readonly name = "BodyRefused";
  readonly refusal: ChannelRefusal;
  constructor(refusal: ChannelRefusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

const LINE_FEED = 0x0a;

/** The lines of a body, one in memory at a time, without their line breaks. Throws BodyRefused past a limit. */
export async function* readBodyLines(stream: IncomingMessage, timers: Timers): AsyncIterable<string> {
  let rest: Buffer = Buffer.alloc(0);
  let bytesRead = 0;
  for await (const chunk of withPauseLimit(stream, timers)) {
    bytesRead += chunk.length;
    if (bytesRead > LIMITS.importBytes) throw new BodyRefused({ code: "body_too_large", max: LIMITS.importBytes });
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      yield lineOf(Buffer.concat([rest, chunk.subarray(from, end)]));
      rest = Buffer.alloc(0);
      from = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > LIMITS.importLineBytes) throw tooLong();
  }
  if (rest.length > 0) yield lineOf(rest);
}

function lineOf(bytes: Buffer): string {
  if (bytes.length > LIMITS.importLineBytes) throw tooLong();
  const line = decodeUtf8(bytes);
  if (line === null) throw new BodyRefused({ code: "invalid_utf8" });
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function tooLong(): BodyRefused {
  return new BodyRefused({ code: "body_too_large", max: LIMITS.importLineBytes });
}

/** The chunks of a stream; a pause longer than the limit ends it, so a trickling client holds nothing open. */
async function* withPauseLimit(stream: IncomingMessage, timers: Timers): AsyncIterable<Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await nextWithin(chunks, timers);
      if (next.done === true) return;
      yield next.value as Buffer;
    }
  } catch (thrown) {
    if (thrown instanceof BodyRefused) throw thrown;
    throw new BodyRefused({ code: "bad_request" });
  }
}

function nextWithin(chunks: AsyncIterator<unknown>, timers: Timers): Promise<IteratorResult<unknown>> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(LIMITS.requestBodyMs, () => reject(new BodyRefused({ code: "body_too_slow" })));
    chunks.next().then(resolve, reject).finally(cancel);
  });
}
