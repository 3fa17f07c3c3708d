import { OctagonX } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { closeSheet } from "../../ui-state.ts";
import { stopWords } from "../../words/stop-words.ts";
import { words } from "../../words.ts";
import { isOver, useWork } from "../work-reads.ts";
import { stopEverything } from "./stop-everything.ts";
import styles from "./stop.module.css";

/** The second of two taps. */
export function StopSheet(): ReactNode {
  const going = useWork().filter((one) => !isOver(one) && one.run.status !== "pending").length;
  return (
    <Sheet title={stopWords.ask} onClose={closeSheet}>
      <p>{stopWords.askBody}</p>
      <p className={styles["going"]}>{going === 0 ? stopWords.none : stopWords.going(going)}</p>
      <div className={styles["acts"]}>
        <Button tone="danger" data-focus-first="" onClick={stop}>
          <OctagonX size={18} aria-hidden /> {words.work.stopAll}
        </Button>
        <Button tone="quiet" onClick={closeSheet}>
          {words.actions.cancel}
        </Button>
      </div>
    </Sheet>
  );
}

function stop(): void {
  closeSheet();
  void stopEverything();
}
