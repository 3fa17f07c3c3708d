import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ProjectSummaryBody } from "#model";
import { Line } from "../../parts/text.tsx";
import { runPageWords } from "../../words/run-page-words.ts";
import { words } from "../../words.ts";
import styles from "../run-page.module.css";
import { RunMark, runStateWords } from "../run-state.tsx";
import { useWork } from "../work-reads.ts";

type Child = ProjectSummaryBody["children"][number];

/** The tasks of a project in the order in which they run: where each stands, and what it waits for. */
export function ProjectTasks({ project }: { readonly project: ProjectSummaryBody }): ReactNode {
  const { children } = project;
  const titles = new Map(children.map(({ work_item_id: id, title }) => [id, title]));
  const done = children.filter(({ status }) => status === "done").length;
  return (
    <section className={styles["part"]} aria-labelledby="tasks" data-testid="project-tasks">
      <h3 id="tasks">
        {runPageWords.project.title}{" "}
        <span className={styles["faint"]}>{runPageWords.project.of(done, children.length)}</span>
      </h3>
      <ol className={styles["rows"]}>
        {children.map((child) => (
          <li key={child.run_id} data-testid="project-task" data-status={child.status}>
            <Task child={child} waitsFor={child.waits_for.map((id) => titles.get(id) ?? id)} />
          </li>
        ))}
      </ol>
    </section>
  );
}

type TaskProps = { readonly child: Child; readonly waitsFor: readonly string[] };

function Task({ child, waitsFor }: TaskProps): ReactNode {
  const found = useWork().find(({ run }) => run.run_id === child.run_id) ?? null;
  const waits = child.status === "pending" && waitsFor.length > 0;
  const state = found === null ? unlistedWords(child) : runStateWords(found);
  return (
    <>
      <p className={styles["name"]}>
        <RunMark run={found?.run ?? asRun(child)} size={16} />
        <Link href={`/work/${child.run_id}`}>
          <Line text={child.title} />
        </Link>
      </p>
      <p className={styles["faint"]}>
        <Line text={waits ? runPageWords.project.waits(waitsFor.join(", ")) : state} />
      </p>
    </>
  );
}

/** What is known of a task that is not in the list of runs any more; whether it was checked is not. */
const unlistedWords = (child: Child): string =>
  child.status === "done" ? runPageWords.project.done : words.work.outcome(asRun(child));
const asRun = ({ status }: Child) => ({ status, is_verified: false, results: [], last_error: null });
