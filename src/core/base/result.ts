/** An expected outcome: a value, or an error that is a plain object with a snake_case `code`. */
export type Result<T, E> = Ok<T> | Err<E>;
export type Ok<T> = { readonly ok: true; readonly value: T };
export type Err<E> = { readonly ok: false; readonly error: E };

export function ok(): Ok<void>;
export function ok<T>(value: T): Ok<T>;
export function ok<T>(value?: T): Ok<T | undefined> {
  return { ok: true, value };
}

export const err = <const E>(error: E): Err<E> => ({ ok: false, error });

/** A world failure reported by an adapter. The raw cause goes to logs, never to a person or a model. */
export type Fault<Code extends string = string> = {
  readonly code: Code;
  readonly retryable: boolean;
  readonly cause?: unknown;
};
