import { OctagonX } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Instant } from "#base";
import { STOPPED_BY, type StoppedBody } from "#model";
import { Button } from "../../parts/button.tsx";
import { useFocusAfterGoing } from "../../parts/focus-page.ts";
import { dateTime } from "../../time/format.ts";
import { useConnection } from "../../wire/connection.ts";
import { stopWords } from "../../words/stop-words.ts";
import { startAgain } from "./stop-everything.ts";
import styles from "./stop.module.css";

/** On every surface while everything is stopped, with the way back. */
export function StoppedBanner({ stopped }: { readonly stopped: StoppedBody }): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const isOffline = useConnection((state) => state.state === "offline");
  const focusAfterGoing = useFocusAfterGoing();
  const start = async (): Promise<void> => {
    setIsAsked(true);
    focusAfterGoing();
    await startAgain();
    setIsAsked(false);
  };
  return (
    <section className={styles["banner"]} role="status" data-testid="stopped">
      <OctagonX size={20} aria-hidden />
      <p>
        <strong>{stopWords.stopped}</strong>{" "}
        <span>{stopWords.since(dateTime(stopped.at as Instant), STOPPED_BY[stopped.by])}</span>
      </p>
      <Button
        aria-busy={isAsked}
        disabled={isOffline}
        onClick={() => {
          if (!isAsked) void start();
        }}
      >
        {isAsked ? stopWords.starting : stopWords.again}
      </Button>
    </section>
  );
}
