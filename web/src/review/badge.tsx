import type { ReactNode } from "react";
import { useEffect } from "react";
import { words } from "../words.ts";
import styles from "./badge.module.css";
import { useSummary } from "./review-reads.ts";
import { useWaiting } from "./waiting.ts";

/** The number on the way to Review. It stands out more when much of weight waits. */
export function ReviewBadge(): ReactNode {
  const { data } = useSummary();
  const { count } = useWaiting();
  if (count === 0) return null;
  return (
    <span className={styles["badge"]} data-dense={data?.is_dense === true} data-testid="review-badge">
      <span aria-hidden>{count > 99 ? "99+" : count}</span>
      <span className="hidden-visually">{words.review.waiting(count)}</span>
    </span>
  );
}

/** The same number on the icon of the installed page, where the system shows one. */
export function useAppBadge(): void {
  const { count } = useWaiting();
  useEffect(() => {
    if (!("setAppBadge" in navigator)) return;
    // A system without badges refuses; the number is in the page anyway.
    navigator.setAppBadge(count).catch(() => undefined);
  }, [count]);
}
