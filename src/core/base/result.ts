/** An expected outcome: a value, or an error that is a plain object with a snake_case `code`. */
export type Result<T, E> = Ok<T> | Err<E>;
type Ok<T> = { readonly ok: true; readonly value: T };
type Err<E> = { readonly ok: false; readonly error: E };

export function ok(): Ok<void>;
export function ok<T>(value: T): Ok<T>;
export function ok<T>(value?: T): Ok<T | undefined> {
  return { ok: true, value };
}

export const err = <const E>(error: E): Err<E> => ({ ok: false, error });

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

/** Freezes a value deeply, so that one cached copy can be shared. A part that is frozen already is not entered. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
