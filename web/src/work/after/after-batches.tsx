import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { DecisionRowBody, WorkSummaryBody } from "#model";
import { Button } from "../../parts/button.tsx";
import { Line } from "../../parts/text.tsx";
import { saveReceipt } from "../../review/decisions.ts";
import { useNow } from "../../time/clock.ts";
import { runPageWords } from "../../words/run-page-words.ts";
import { words } from "../../words.ts";
import { RunMark } from "../run-state.tsx";
import { firstRunOf, isOver, useRun, useWork } from "../work-reads.ts";
import styles from "./after.module.css";
import { UndoPart } from "./undo-part.tsx";

/** A batch is news for this long; its undo may be open longer, and then it stays. */
const NEWS_MS = 15 * 60_000;
const CARDS_MAX = 3;
const { after } = runPageWords;

type Props = { readonly decided: readonly DecisionRowBody[] };

/** What was just done to many things at once: how it ended, what the checks said, and the way back. */
export function AfterBatches({ decided }: Props): ReactNode {
  const runs = useWork();
  const ended = decided
    .filter(({ kind, state }) => kind === "batch_review" && state === "approved")
    .flatMap(({ request_id: id }) => firstRunOf(runs, id) ?? [])
    .filter(isOver)
    .slice(0, CARDS_MAX);
  return ended.map((one) => <AfterCard key={one.run.run_id} listed={one} />);
}

function AfterCard({ listed }: { readonly listed: WorkSummaryBody }): ReactNode {
  const { data } = useRun(listed.run.run_id);
  const runs = useWork();
  const now = useNow(30_000);
  if (data === undefined || data.undo === null) return null;
  const isNews = now - Date.parse(data.run.ended_at ?? "") < NEWS_MS;
  if (data.undo.state !== "open" && !isNews) return null;
  const { run, title, request_id: requestId, undo } = data;
  return (
    <article
      className={styles["card"]}
      aria-label={words.work.said(title, words.work.outcome(run))}
      data-testid="after"
      data-run={run.run_id}
    >
      <header>
        <RunMark run={run} size={20} />
        <div>
          <h2>
            <Line text={title} />
          </h2>
          {!run.is_verified && (
            <p className={styles["outcome"]}>
              <Line text={words.work.outcome(run)} />
            </p>
          )}
        </div>
      </header>
      <UndoPart detail={data} undo={undo} />
      <CheckWords run={runs.find((one) => one.run.run_id === undo.run_id)?.run ?? run} />
      <div className={styles["links"]}>
        <Link href={`/work/${run.run_id}`}>{after.show}</Link>
        {requestId !== "" && (
          <Button size="small" onClick={() => void saveReceipt({ requestId })}>
            <Download size={16} aria-hidden /> {words.work.receipt}
          </Button>
        )}
      </div>
    </article>
  );
}

/** What decided that it is done, or that it is back; that nothing did is said as plainly. */
function CheckWords({ run }: Pick<WorkSummaryBody, "run">): ReactNode {
  const passed = run.results.filter((result) => result.passed).length;
  if (!isOver({ run })) return null;
  if (run.results.length === 0) return <p className={styles["soft"]}>{after.unverified}</p>;
  return (
    <div className={styles["soft"]} data-testid="verified">
      <p>{after.verified(passed, run.results.length)}</p>
      <ul>
        {run.results.map(({ name, passed: isPassed }) => (
          <li key={name}>
            <Line text={name} />: {isPassed ? words.work.passed : words.work.failed}
          </li>
        ))}
      </ul>
    </div>
  );
}
