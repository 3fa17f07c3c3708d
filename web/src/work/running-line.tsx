import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import styles from "./run-row.module.css";
import { isOver, isOwn, useWork } from "./work-reads.ts";

/** On other surfaces what runs is one line that leads to it. */
export function RunningLine(): ReactNode {
  const going = useWork().filter((one) => !isOver(one) && isOwn(one));
  const first = going.at(-1);
  if (first === undefined) return null;
  return (
    <Link href={`/work/${first.run.run_id}`} className={styles["line"]} data-testid="running-line">
      <span className={styles["what"]}>
        <span className={styles["now"]}>
          <span>{words.work.running}</span>
          {going.length > 1 && <span>{words.work.homeLine(going.length - 1)}</span>}
        </span>
        <Line text={first.title} />
      </span>
      <ChevronRight size={18} aria-hidden />
    </Link>
  );
}
