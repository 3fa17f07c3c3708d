import type { Halting } from "./deps.ts";

export function createHalting(): Halting {
  let controller = new AbortController();
  return {
    signal: () => controller.signal,
    halt() {
      controller.abort();
      controller = new AbortController();
    },
  };
}
