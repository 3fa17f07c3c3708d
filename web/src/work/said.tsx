import type { ReactNode } from "react";
import type { WorkDetailBody } from "#model";
import { classes } from "../parts/classes.ts";
import { Line, Paragraphs } from "../parts/text.tsx";
import { runPageWords } from "../words/run-page-words.ts";
import styles from "./run-page.module.css";

/** What the model that worked says about it: its own words, which decide nothing. */
export function Said({ detail: { run } }: { readonly detail: WorkDetailBody }): ReactNode {
  const { said } = run;
  if (said === undefined) return null;
  return (
    <section className={styles["part"]} aria-labelledby="said" data-testid="said">
      <h3 id="said">{runPageWords.said.title}</h3>
      <p className={styles["faint"]}>{runPageWords.said.note}</p>
      <Paragraphs text={said.summary} className={classes(styles["printed"], styles["said"])} />
      {said.next_steps.length > 0 && (
        <>
          <h4>{runPageWords.said.next}</h4>
          <ul className={styles["rows"]}>
            {[...new Set(said.next_steps)].map((next) => (
              <li key={next}>
                <Line text={next} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
