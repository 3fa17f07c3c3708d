type Timed = { readonly shown_at: string; readonly expires_in: number };

/** By when the server showed it, and not by when this page was opened: a reload gives nobody more time. */
export const endOf = ({ shown_at: shownAt, expires_in: seconds }: Timed): number =>
  Date.parse(shownAt) + seconds * 1000;

export const secondsLeft = (timed: Timed, nowMs: number): number =>
  Math.min(timed.expires_in, Math.max(0, Math.ceil((endOf(timed) - nowMs) / 1000)));
