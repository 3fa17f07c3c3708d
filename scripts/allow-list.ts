/**
 * Exceptions from the tidy rules. Each names the check, the file, the reason and the decision record that allows it; an
 * entry that no longer excuses anything fails the tidy test, so the list can only shrink by itself.
 */
export type Exception = {
  readonly check: string;
  readonly path: string;
  readonly reason: string;
  /** Number of the record in docs/decisions. */
  readonly decision: string;
};

export const ALLOW_LIST: readonly Exception[] = [];
