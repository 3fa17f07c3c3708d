import { Download } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { Link, useParams } from "wouter";
import type { Instant } from "#base";
import type { RunSettlementBody, WorkDetailBody } from "#model";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Line } from "../parts/text.tsx";
import { saveReceipt } from "../review/decisions.ts";
import { Page } from "../shell/page.tsx";
import { zonedDateTime } from "../time/format.ts";
import { announce } from "../ui-state.ts";
import { runPageWords } from "../words/run-page-words.ts";
import { words } from "../words.ts";
import { UndoPart } from "./after/undo-part.tsx";
import { Budget } from "./budget.tsx";
import { Checks } from "./checks.tsx";
import { hasOtherWay, Planner, Replaces } from "./planner.tsx";
import { ProjectTasks } from "./project/project-tasks.tsx";
import styles from "./run-page.module.css";
import { Progress } from "./run-row.tsx";
import { RunMark } from "./run-state.tsx";
import { Steps } from "./steps.tsx";
import { Said } from "./said.tsx";
import { RunControls } from "./run-controls.tsx";
import { isOver, useRun } from "./work-reads.ts";

/** The page of one run: what was done, step by step, what the checks outside said, and what it left. */
export function RunPage(): ReactNode {
  const { id = "" } = useParams<{ readonly id: string }>();
  return (
    <Page title={words.work.title} width="text">
      <Run key={id} id={id} />
    </Page>
  );
}

function Run({ id }: { readonly id: string }): ReactNode {
  const { data, error, keptAtMs, retry } = useRun(id);
  useEnd(data);
  if (error?.code === "run_unknown") return <Unknown />;
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (data === undefined) return <Skeleton label={words.work.loading} />;
  return (
    <div className={styles["run"]} data-testid="run" data-status={data.run.status}>
      <KeptNotice atMs={keptAtMs} />
      <Head detail={data} isKept={keptAtMs !== null} />
      {data.project === null ? <Steps detail={data} /> : <ProjectTasks project={data.project} />}
      <Checks detail={data} />
      <Said detail={data} />
      <Artifacts detail={data} />
      <Network detail={data} />
      <Budget detail={data} />
      <Facts detail={data} />
    </div>
  );
}

type HeadProps = { readonly detail: WorkDetailBody; readonly isKept: boolean };

function Head({ detail, isKept }: HeadProps): ReactNode {
  const { run, title, request_id: requestId } = detail;
  return (
    <section className={styles["head"]} data-status={run.status} data-checked={run.is_verified ? "yes" : "no"}>
      <h2>
        <Line text={title} />
      </h2>
      {isOver(detail) ? <Outcome detail={detail} /> : <Progress summary={detail} isKept={isKept} />}
      <Planner detail={detail} />
      <Replaces detail={detail} />
      {detail.undo !== null && isOver(detail) && <UndoPart detail={detail} undo={detail.undo} />}
      <div className={styles["acts"]}>
        {!isOver(detail) && <RunControls summary={detail} />}
        {run.status === "in_doubt" && detail.settlement === null && (
          <Link href="/review">{runPageWords.doubt.decide}</Link>
        )}
        {requestId !== "" && (
          <>
            <Link href={`/review/${requestId}`}>{words.work.toRequest}</Link>
            <Button size="small" onClick={() => void saveReceipt({ requestId })}>
              <Download size={16} aria-hidden /> {words.work.receipt}
            </Button>
          </>
        )}
        {detail.project_run_id !== null && (
          <Link href={`/work/${detail.project_run_id}`}>{runPageWords.project.toProject}</Link>
        )}
        <Link href="/activity">{words.work.activity}</Link>
      </div>
    </section>
  );
}

/** How it ended and what to do then. */
function Outcome({ detail }: { readonly detail: WorkDetailBody }): ReactNode {
  const { run, ledger } = detail;
  const doubtful = ledger.find(({ state }) => state === "in_doubt");
  const outcome =
    run.status === "in_doubt" && doubtful !== undefined
      ? words.work.doubtfulStep(doubtful.step_index + 1)
      : words.work.outcome(run);
  return (
    <>
      <p className={styles["outcome"]} data-testid="outcome">
        <RunMark run={run} size={20} /> <Line text={outcome} />
      </p>
      {detail.settlement === null ? (
        <p className={styles["next"]}>{hasOtherWay(detail) ? words.work.next.replanned : nextWords(run)}</p>
      ) : (
        <Settlement settlement={detail.settlement} />
      )}
    </>
  );
}

/** What was said of a run in doubt, and what the checks said then. */
function Settlement({ settlement }: { readonly settlement: RunSettlementBody }): ReactNode {
  const { choice, results, request_id: againId } = settlement;
  const passed = results.filter((result) => result.passed).length;
  return (
    <p className={styles["next"]} data-testid="settlement">
      {runPageWords.doubt.settled[choice]} {results.length > 0 && <>{words.work.checksOf(passed, results.length)}. </>}
      {againId !== null && <Link href={`/review/${againId}`}>{words.work.toRequest}</Link>}
    </p>
  );
}

/** What was over already when the page came is simply there; only what ends later is read out. */
function useEnd(detail: WorkDetailBody | undefined): void {
  const wasGoing = useRef(false);
  useEffect(() => {
    if (detail === undefined) return;
    const { run, title } = detail;
    if (isOver(detail) && wasGoing.current) announce(words.work.said(title, words.work.outcome(run)));
    wasGoing.current = !isOver(detail);
  }, [detail]);
}

function nextWords({ status, is_verified: isVerified, results }: WorkDetailBody["run"]): string {
  const { checked, empty, unchecked } = words.work.next;
  if (status === "done") return isVerified ? checked : results.length > 0 ? empty : unchecked;
  return words.work.next[status as "cancelled" | "failed" | "stuck" | "blocked" | "in_doubt"];
}

/** Where it was, and how much went either way, as the gateway counted it. */
function Network({ detail: { network } }: { readonly detail: WorkDetailBody }): ReactNode {
  if (network.length === 0) return null;
  return (
    <section className={styles["part"]} aria-labelledby="network" data-testid="network">
      <h3 id="network">{runPageWords.network.title}</h3>
      <ul className={styles["rows"]}>
        {network.map((use) => (
          <li key={use.host}>
            <p>
              <Line text={use.host} /> <span className={styles["faint"]}>{runPageWords.network.use(use)}</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Artifacts({ detail }: { readonly detail: WorkDetailBody }): ReactNode {
  const left = Object.entries(detail.run.artifacts);
  if (left.length === 0) return null;
  return (
    <section className={styles["part"]} aria-labelledby="artifacts">
      <h3 id="artifacts">{words.work.artifacts}</h3>
      <ul className={styles["rows"]}>
        {left.map(([name, { sha256, size }]) => (
          <li key={name}>
            <p>
              <Line text={name} /> <span className={styles["faint"]}>{words.work.bytes(size)}</span>
            </p>
            <p className={styles["hash"]}>
              <code>{sha256}</code>
              <CopyButton text={sha256} label={words.work.copyHash(name)} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ detail: { run, project } }: { readonly detail: WorkDetailBody }): ReactNode {
  const { facts } = words.work;
  return (
    <dl className={styles["facts"]}>
      <dt>{facts.began}</dt>
      <dd>{zonedDateTime(run.started_at as Instant)}</dd>
      {run.ended_at !== null && (
        <>
          <dt>{facts.ended}</dt>
          <dd>{zonedDateTime(run.ended_at as Instant)}</dd>
        </>
      )}
      {project === null && (
        <>
          <dt>{facts.attempts}</dt>
          <dd>{run.attempts}</dd>
        </>
      )}
      <dt>{facts.id}</dt>
      <dd>
        <code>{run.run_id}</code>
      </dd>
      <dt>{facts.hash}</dt>
      <dd>
        <code>{run.plan_hash}</code>
      </dd>
    </dl>
  );
}

function Unknown(): ReactNode {
  return (
    <div className={styles["head"]} role="alert">
      <h2>{words.work.unknown}</h2>
      <p>{words.work.unknownBody}</p>
      <Link href="/review">{words.work.toReview}</Link>
    </div>
  );
}
