/** A broken invariant. Nothing catches it to go on: the operation dies and state stays at the last commit. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Throws when an invariant does not hold. The message names the rule, e.g. "JOURNAL-05 end after start". */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new InvariantError(invariant);
}

/** Closes a switch over a union: a new variant that is not handled fails to compile, and throws if forged. */
export function unreachable(value: never): never {
  throw new InvariantError(`unhandled variant: ${String(value)}`);
}
