import type { ReactNode } from "react";
import type { Instant } from "#base";
import { instantAt } from "../time/clock.ts";
import { countdown, dateTime } from "../time/format.ts";
import { connectionWords as said } from "../words/connection-words.ts";
import styles from "./connections.module.css";

type TimeProps = { readonly seconds: number; readonly endsAtMs: number };

/** Runs in a place of its own width, so that nothing moves beside it; it is read out only when somebody asks for it. */
export function TimeRunning({ seconds, endsAtMs }: TimeProps): ReactNode {
  const at: Instant = instantAt(endsAtMs);
  return (
    <time className={styles["clock"]} role="timer" dateTime={at} title={dateTime(at)} data-testid="countdown">
      {said.left(countdown(seconds))}
    </time>
  );
}
