import type { ReactNode } from "react";
import { Link } from "wouter";
import { consultWords, replacedIn, toldConsultFromWire, type ToldConsultBody, type WorkDetailBody } from "#model";
import { Line } from "../parts/text.tsx";
import { useRequest } from "../review/review-reads.ts";
import { runPageWords } from "../words/run-page-words.ts";
import { words } from "../words.ts";
import styles from "./run-page.module.css";
import { isOver } from "./work-reads.ts";

/** Whether another way was looked for: then that says what follows. */
export const hasOtherWay = ({ consults = [] }: WorkDetailBody): boolean =>
  consults.some(({ kind }) => kind === "replan");

/** The run that failed before it, where it is another way. */
export function Replaces({ detail: { request_id: requestId } }: { readonly detail: WorkDetailBody }): ReactNode {
  const { data } = useRequest(requestId === "" ? null : requestId, "approved");
  const replaced = data === undefined ? null : replacedIn({ markdown: data.markdown, rows: data.card.details.rows });
  if (replaced === null) return null;
  return (
    <p className={styles["next"]} data-testid="replaced">
      <Link href={`/work/${replaced.runId}`}>
        <Line text={words.card.replaces(replaced.title, replaced.why)} />
      </Link>
    </p>
  );
}

/** What the planner was asked about it, and what came of that. */
export function Planner({ detail }: { readonly detail: WorkDetailBody }): ReactNode {
  const { consults = [] } = detail;
  // That advice is asked for right now is said by where the run is.
  const told = consults.filter(({ state }) => isOver(detail) || state === "ended" || state === "failed");
  return told.map((consult) => (
    <p key={`${consult.kind}-${consult.number}`} className={styles["next"]} data-testid="planner">
      <Line text={sentence(consultWords(toldConsultFromWire(consult), { request: "it", run: "" }))} />{" "}
      <OtherWay consult={consult} />
    </p>
  ));
}

/** A link may follow. */
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

function OtherWay({ consult }: { readonly consult: ToldConsultBody }): ReactNode {
  const { request_id: requestId, decided, other_run_id: runId } = consult;
  const { planner } = runPageWords;
  if (runId !== null) return <Link href={`/work/${runId}`}>{planner.run}</Link>;
  if (requestId === null) return null;
  return <Link href={`/review/${requestId}`}>{decided === "pending" ? planner.decide : planner.show}</Link>;
}
