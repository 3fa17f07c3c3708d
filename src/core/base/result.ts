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
