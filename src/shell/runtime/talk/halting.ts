import type { Halting } from "./deps.ts";

export function createHalting(): Halting {
  let controller = new AbortController();
  let stopped: string | null = null;
  const halt = (): void => {
    controller.abort();
    controller = new AbortController();
  };
  return {
    // A stop may come after its turn has begun and before the model is asked.
    signal: (messageId) => (messageId !== null && messageId === stopped ? AbortSignal.abort() : controller.signal),
    halt,
    stop(messageId) {
      stopped = messageId;
      halt();
    },
    isStopped: (messageId) => messageId === stopped,
  };
}
