import type { ModelFailure } from "#model";
import { postTo, type Posting } from "./pinned-post.ts";

type Line = {
  /** What the SDK takes for `fetch`. It knows one address, and posts once. */
  readonly post: (to: unknown, init?: { readonly body?: unknown }) => Promise<Response>;
  /** Why there is no answer, where that is known before anything of it is read. */
  failure(): ModelFailure | null;
  /** Whether the provider said that it was done. */
  isDone(): boolean;
  /** Whether the provider refused to be asked for token counts. */
  refusesCounts(): boolean;
  bytesReceived(): number;
};

/** The SDK's way out: one post to the address of the model, whose answer goes on to the SDK as it arrives. */
export function createLine(posting: Omit<Posting, "onPart" | "onRefused">): Line {
  const url = `${posting.place.baseUrl}/chat/completions`;
  const events = createEventStream();
  let [failure, bytesReceived]: [ModelFailure | null, number] = [null, 0];
  let refusesCounts = false;
  const onRefused = (text: string): void => void (refusesCounts = /stream_options|include_usage/u.test(text));
  return {
    async post(to, { body } = {}) {
      if (String(to) !== url || typeof body !== "string") throw new Error("model_unreachable");
      const { stream, give, close, fail } = createBody();
      const begun = Promise.withResolvers<void>();
      const onPart = (part: Uint8Array): void => {
        give(events.take(part));
        begun.resolve();
      };
      const end = async (): Promise<void> => {
        const posted = await postTo({ ...posting, onPart, onRefused }, body);
        if (!posted.ok) {
          failure = posted.error.code;
          throw new Error(failure);
        }
        ({ bytesReceived } = posted.value);
        give(events.end());
        close();
      };
      end().catch((cause: unknown) => {
        fail(cause);
        begun.reject(cause);
      });
      await begun.promise;
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
    failure: () => failure,
    isDone: events.isDone,
    refusesCounts: () => refusesCounts,
    bytesReceived: () => bytesReceived,
  };
}

/** A body that is filled while it is read. Its limit is counted where it is received. */
function createBody() {
  let filled: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => void (filled = controller),
    // Its reader gave up; what arrives until the connection is closed is not taken in.
    cancel: () => void (filled = null),
  });
  return {
    stream,
    give: (bytes: Uint8Array): void => (bytes.length === 0 ? undefined : filled?.enqueue(bytes)),
    close: (): void => filled?.close(),
    fail(cause: unknown): void {
      filled?.error(cause);
      filled = null;
    },
  };
}

/** The body of an answer, on its way to the SDK, which reads server-sent events only. */
type EventStream = {
  /** What goes on now. */
  take(part: Uint8Array): Uint8Array;
  /** What goes on once the body is whole. */
  end(): Uint8Array;
  /** Whether the provider said that it was done; a cut stream does not. */
  isDone(): boolean;
};

/**
 * Some local servers ignore that a stream was asked for and answer with one JSON object. The first character tells, since
 * their `content-type` does not always: no event begins with a brace. Such an object is passed on as the one event that
 * it would have been.
 */
function createEventStream(): EventStream {
  let form: "unknown" | "events" | "object" = "unknown";
  let held = Buffer.alloc(0);
  const parts: Uint8Array[] = [];
  let tail = "";
  const pass = (part: Uint8Array): Uint8Array => {
    tail = (tail + Buffer.from(part.subarray(-DONE_BYTES)).toString("latin1")).slice(-DONE_BYTES);
    return part;
  };
  return {
    take(part) {
      if (form === "events") return pass(part);
      if (form === "object") {
        parts.push(part);
        return NOTHING;
      }
      held = Buffer.concat([held, part]);
      const [first] = held.toString("latin1").trimStart();
      if (first === undefined && held.length < BLANK_BYTES) return NOTHING;
      form = first === "{" ? "object" : "events";
      if (form === "events") return pass(held);
      parts.push(held);
      return NOTHING;
    },
    end: () => (form === "object" ? pass(eventOf(Buffer.concat(parts).toString("utf8"))) : NOTHING),
    isDone: () => /\[DONE\]\s*$/u.test(tail),
  };
}

const NOTHING = new Uint8Array();
/** Whitespace before the first character. */
const BLANK_BYTES = 1024;
/** Enough for the last event and the empty lines after it. */
const DONE_BYTES = 64;

/** A whole answer as the only event of a stream; nothing where it cannot be read. */
function eventOf(text: string): Uint8Array {
  const body = parsed(text);
  if (body === null) return NOTHING;
  const { choices } = body;
  const events = Array.isArray(choices)
    ? choices.filter(isRecord).map((choice) => ({ ...choice, delta: choice["message"] }))
    : choices;
  return Buffer.from(`data: ${JSON.stringify({ ...body, choices: events })}\n\ndata: [DONE]\n\n`);
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
