import { CircleCheck, CircleDashed, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Instant } from "#base";
import type { CheckResultBody, CycleBody } from "#model";
import { Line } from "../parts/text.tsx";
import { dateTime } from "../time/format.ts";
import { goalWords } from "../words/goal-words.ts";
import { words } from "../words.ts";
import styles from "./goals.module.css";

/** Each look at a goal, newest first: what the checks said, and what came of a failure. */
export function Cycles({ cycles }: { readonly cycles: readonly CycleBody[] }): ReactNode {
  return (
    <section className={styles["cycles"]} aria-labelledby="cycles">
      <h2 id="cycles">{goalWords.cycles}</h2>
      {cycles.length === 0 && <p className={styles["soft"]}>{goalWords.noCycles}</p>}
      <ol>
        {cycles.map((cycle) => (
          <li key={cycle.number} data-testid="cycle" data-ended={cycle.ended ?? "going"}>
            <Cycle cycle={cycle} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Cycle({ cycle }: { readonly cycle: CycleBody }): ReactNode {
  const { ended, results, recheck, repair, skipped, trigger, started_at: at } = cycle;
  const Mark = ended === null ? CircleDashed : ended === "healthy" ? CircleCheck : TriangleAlert;
  return (
    <>
      <p className={styles["look"]}>
        <Mark size={16} aria-hidden />
        <span>{ended === null ? goalWords.going : goalWords.ended[ended]}</span>
        <span className={styles["soft"]}>
          <time dateTime={at}>{dateTime(at as Instant)}</time>, {goalWords.trigger[trigger]}
          {skipped > 0 && <>, {goalWords.skipped(skipped)}</>}
        </span>
      </p>
      <Results results={results} />
      {repair !== null && (
        <p className={styles["repair"]}>
          {repair.request_id === null ? goalWords.repair : goalWords.repairAsked}
          {repair.request_id !== null && <Link href={`/review/${repair.request_id}`}>{goalWords.toDecision}</Link>}
          {repair.run_id !== null && <Link href={`/work/${repair.run_id}`}>{goalWords.repairRun}</Link>}
        </p>
      )}
      {recheck !== null && (
        <>
          <p className={styles["recheck"]}>{goalWords.recheck}</p>
          <Results results={recheck} />
        </>
      )}
    </>
  );
}

/** What passed is a number; what failed is said. */
function Results({ results }: { readonly results: readonly CheckResultBody[] }): ReactNode {
  const failed = results.filter(({ passed }) => !passed);
  if (results.length === 0) return null;
  return (
    <div className={styles["results"]}>
      <p className={styles["soft"]}>{goalWords.checksOf(results.length - failed.length, results.length)}</p>
      {failed.map(({ name, reason }) => (
        <p key={name}>
          <Line text={name} />: {words.work.failed.toLowerCase()}. <Line text={reason} />
        </p>
      ))}
    </div>
  );
}
