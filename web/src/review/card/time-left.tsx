import { useEffect, type ReactNode } from "react";
import type { Instant } from "#base";
import type { ShownRequestBody } from "#model";
import { useNow } from "../../time/clock.ts";
import { dateTime, duration, secondsBetween } from "../../time/format.ts";
import { words } from "../../words.ts";
import { invalidateReview } from "../review-reads.ts";

/** Past the end, so that the server's clock has passed it too. */
const AFTER_MS = 400;

type Times = Pick<ShownRequestBody, "created_at" | "expires_at">;

/** How much of its time is left: to the minute while there is plenty, to the second at the end. Nothing hurries. */
export function TimeLeft({ expires_at: expiresAt }: Pick<Times, "expires_at">): ReactNode {
  const now = useNow(1000);
  useEffect(() => {
    if (expiresAt === null) return undefined;
    const timer = setTimeout(() => void invalidateReview(), Math.max(0, Date.parse(expiresAt) - Date.now()) + AFTER_MS);
    return () => clearTimeout(timer);
  }, [expiresAt]);
  if (expiresAt === null) return null;
  const seconds = Math.ceil((Date.parse(expiresAt) - now) / 1000);
  const text =
    seconds <= 0
      ? words.card.ended
      : words.card.left(duration(seconds >= 60 ? Math.floor(seconds / 60) * 60 : seconds));
  return (
    <time className="mono" dateTime={expiresAt} title={dateTime(expiresAt as Instant)}>
      {text}
    </time>
  );
}

export function Age({ created_at: createdAt }: Pick<Times, "created_at">): ReactNode {
  const now = useNow(30_000);
  return (
    <time dateTime={createdAt} title={dateTime(createdAt as Instant)}>
      {words.card.asked(duration(Math.max(1, secondsBetween(createdAt as Instant, now))))}
    </time>
  );
}
