import { ChevronRight, CircleCheck, CircleDashed, CircleHelp, CircleSlash2, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import { isModelTurn, type LedgerEntryBody, type WorkDetailBody } from "#model";
import { Line, Paragraphs } from "../parts/text.tsx";
import { duration } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./run-page.module.css";
import { useSignedPlan } from "./signed-plan.ts";
import { stepNames } from "./step-names.ts";
import { isOver } from "./work-reads.ts";

/** The ledger as it was kept: each step of each attempt, the last attempt first. */
export function Steps({ detail }: { readonly detail: WorkDetailBody }): ReactNode {
  const { ledger } = detail;
  const attempts = [...new Set(ledger.map(({ attempt }) => attempt))].toReversed();
  const later = useStepsToCome(detail);
  return (
    <section className={styles["part"]} aria-labelledby="steps">
      <h3 id="steps">{words.work.steps}</h3>
      {ledger.length === 0 && later.length === 0 && <p className={styles["faint"]}>{words.work.noSteps}</p>}
      {ledger.length === 0 && later.length > 0 && (
        <ol className={styles["rows"]}>
          <ToCome steps={later} />
        </ol>
      )}
      {attempts.map((attempt) => (
        <div key={attempt}>
          {attempts.length > 1 && <h4>{words.work.attemptHeading(attempt)}</h4>}
          <ol className={styles["rows"]}>
            {ledger
              .filter((entry) => entry.attempt === attempt)
              .map((entry) => (
                <li key={entry.execution_id} data-testid="step" data-state={stateOf(entry, detail)}>
                  <Step entry={entry} state={stateOf(entry, detail)} />
                </li>
              ))}
            {attempt === attempts[0] && <ToCome steps={later} />}
          </ol>
        </div>
      ))}
    </section>
  );
}

type NumberedStep = { readonly number: number; readonly name: string };

/** While a run is under way, the steps of its signed plan that it has not begun in this attempt. */
function useStepsToCome(detail: WorkDetailBody): readonly NumberedStep[] {
  const plan = useSignedPlan(detail);
  if (plan === null || isOver(detail)) return [];
  const begun = detail.ledger.filter(({ attempt }) => attempt === detail.run.attempts).length;
  return stepNames(plan)
    .map((name, index) => ({ number: index + 1, name }))
    .slice(begun);
}

function ToCome({ steps }: { readonly steps: readonly NumberedStep[] }): ReactNode {
  return steps.map(({ number, name }) => (
    <li key={number} data-testid="step" data-state="to_come">
      <p className={styles["name"]}>
        <CircleDashed size={16} aria-hidden />
        <span className={styles["faint"]}>
          {number}. <Line text={name} />
        </span>
        <span className={styles["faint"]}>{words.work.toCome}</span>
      </p>
    </li>
  ));
}

type StepState = keyof typeof words.work.stepState;

function stateOf(entry: LedgerEntryBody, { run, ledger }: WorkDetailBody): StepState {
  const { state, success } = entry;
  if (state === "in_doubt") return "in_doubt";
  if (state === "started") return run.ended_at === null ? "started" : "left";
  if (success === true) return "succeeded";
  return run.status === "cancelled" && entry === ledger.at(-1) ? "stopped" : "failed";
}

const MARKS = {
  started: CircleDashed,
  left: CircleDashed,
  succeeded: CircleCheck,
  failed: CircleX,
  stopped: CircleSlash2,
  in_doubt: CircleHelp,
} as const satisfies { readonly [S in StepState]: unknown };

function Step({ entry, state }: { readonly entry: LedgerEntryBody; readonly state: StepState }): ReactNode {
  const Mark = MARKS[state];
  return (
    <>
      <p className={styles["name"]}>
        <Mark size={16} aria-hidden />
        <span>
          {!isModelTurn(entry) && <>{entry.step_index + 1}. </>}
          <Line text={entry.step_name} />
        </span>
        <span className={styles["faint"]}>{[words.work.stepState[state], ...factsOf(entry)].join(", ")}</span>
      </p>
      {entry.error !== null && state !== "stopped" && (
        <p className={styles["wrong"]}>
          <Line text={entry.error} />
        </p>
      )}
      {entry.return_value !== "" && (
        <Output {...outputWords(entry)} text={entry.return_value} isOpen={state === "failed"} />
      )}
    </>
  );
}

/** A model answers; programs print. */
const outputWords = (entry: LedgerEntryBody): Pick<OutputProps, "label" | "title"> =>
  isModelTurn(entry)
    ? { title: words.work.answer, label: words.work.answerTo(entry.step_name) }
    : { title: words.work.output, label: words.work.outputOf(entry.step_name) };

/** How it ended is part of why it failed, where it did. */
function factsOf({ exit, error, duration_ms: ms, tokens_used: tokens = 0, state }: LedgerEntryBody): readonly string[] {
  return [
    ...(tokens > 0 && state === "ended" ? [words.work.tokens(tokens)] : []),
    ...(exit === null || error !== null ? [] : [endWords(exit)]),
    ...(ms === null ? [] : [words.work.took(lengthOf(ms))]),
  ];
}

function endWords(exit: NonNullable<LedgerEntryBody["exit"]>): string {
  const { end } = words.work;
  if (exit.kind === "exit") return end.exit(exit.code);
  if (exit.kind === "signal") return end.signal(exit.signal);
  return exit.kind === "limit" ? end.limit(exit.which) : end.timeout;
}

function lengthOf(ms: number): string {
  if (ms < 1000) return words.work.milliseconds(Math.round(ms));
  return ms < 60_000 ? words.work.seconds((ms / 1000).toFixed(1)) : duration(ms / 1000);
}

type OutputProps = { readonly title?: string; readonly label: string; readonly text: string; readonly isOpen: boolean };

/** What a program printed: plain text, in a box of its own, never as if Silas said it. */
export function Output({ title = words.work.output, label, text, isOpen }: OutputProps): ReactNode {
  return (
    <details className={styles["output"]} open={isOpen}>
      <summary aria-label={label}>
        <ChevronRight size={14} aria-hidden /> {title}
      </summary>
      <Paragraphs text={text} className={styles["printed"]} />
    </details>
  );
}
