import { useEffect, useRef, type ReactNode } from "react";
import type { WorkSummaryBody } from "#model";
import { announce } from "../ui-state.ts";
import { words } from "../words.ts";
import { RunRow } from "./run-row.tsx";
import styles from "./run-row.module.css";
import { isOver, isOwn, useWork } from "./work-reads.ts";

/** What runs right now; nothing when nothing does. How each ends is read out. */
export function Running(): ReactNode {
  const all = useWork();
  useEnds(all);
  const going = all.filter((one) => !isOver(one) && isOwn(one));
  if (going.length === 0) return null;
  return (
    <section className={styles["section"]} aria-labelledby="running" data-testid="running">
      <h2 id="running">{words.work.running}</h2>
      <ul>
        {going.map((one) => (
          <li key={one.run.run_id}>
            <RunRow listed={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Says how those end that were seen on their way. */
function useEnds(all: readonly WorkSummaryBody[]): void {
  const going = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const ended = all.filter((one) => isOver(one) && going.current.has(one.run.run_id));
    going.current = new Set(all.filter((one) => !isOver(one)).map((one) => one.run.run_id));
    const said = ended.map(({ title, run }) => words.work.said(title, words.work.outcome(run)));
    if (said.length > 0) announce(said.join(" "));
  }, [all]);
}
