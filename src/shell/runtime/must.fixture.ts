import type { Result } from "#base";

/** The value of what has to succeed. */
export function must<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(`expected ok, got ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The refusal of what has to fail. */
export function mustFail<T, E>(result: Result<T, E>): E {
  if (result.ok) throw new Error("expected an error");
  return result.error;
}
