import type { ModelFailure } from "#model";
import { createEventStream } from "./event-stream.ts";
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
