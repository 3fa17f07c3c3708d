/** How a command ends, as every script may rely on it. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** A question had to be asked, and nobody could be asked or answered. */
  needsDecision: 3,
  auth: 4,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The three things a person needs to know when something went wrong. */
export type FailureWords = {
  /** What failed, one sentence. */
  readonly what: string;
  /** What was kept or not changed; left out when there was nothing to lose. */
  readonly kept?: string;
  /** What to do next. */
  readonly next?: string;
  readonly exit?: ExitCode;
  readonly cause?: unknown;
};

/**
 * Ends a command. The terminal is the outermost border, where a refusal has nowhere to go but to the person; commander
 * ends its own usage errors the same way, so both are caught in one place.
 */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly words: FailureWords;
  readonly exit: ExitCode;

  constructor(words: FailureWords) {
    super(words.what, { cause: words.cause });
    this.words = words;
    this.exit = words.exit ?? EXIT.failed;
  }
}

export function usage(what: string, next?: string): CommandFailure {
  return new CommandFailure({ what, exit: EXIT.usage, ...(next === undefined ? {} : { next }) });
}
