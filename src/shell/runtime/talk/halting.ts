/** The reason of a signal that the owner caused. */
export const STOPPED = "stopped";
/** The reason of a signal whose lease was lost: another holder has the message, and nothing more is written here. */
export const LEFT = "left";

/** Ends questions to a model that are under way: one by its name, or all of them. */
export type Halting = {
  /** The signal for work of this name; the work ends it with `over`. */
  begin(name: string): { readonly signal: AbortSignal; over(): void };
  /** At the owner's wish: the reason of the signal is `stopped`. False when nothing of this name is under way. */
  stop(name: string): boolean;
  /** Because another holder has the message of this name: the reason of the signal is `left`. */
  leave(name: string): void;
  halt(): void;
};

export function createHalting(): Halting {
  const underWay = new Map<string, AbortController>();
  return {
    begin(name) {
      const controller = new AbortController();
      underWay.set(name, controller);
      return {
        signal: controller.signal,
        over() {
          if (underWay.get(name) === controller) underWay.delete(name);
        },
      };
    },
    stop(name) {
      const controller = underWay.get(name);
      controller?.abort(STOPPED);
      return controller !== undefined;
    },
    leave(name) {
      underWay.get(name)?.abort(LEFT);
    },
    halt() {
      for (const controller of underWay.values()) controller.abort();
    },
  };
}
