import { Pause, Play } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { WorkSummaryBody } from "#model";
import buttons from "../parts/button.module.css";
import { Button } from "../parts/button.tsx";
import { classes } from "../parts/classes.ts";
import { invalidateReview } from "../review/review-reads.ts";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";
import { words } from "../words.ts";
import styles from "./run-row.module.css";
import { StopButton } from "./stop-button.tsx";

/** The ways to hold a run and to end it, as long as it is on its way. */
export function RunControls({ summary }: { readonly summary: WorkSummaryBody }): ReactNode {
  const { status } = summary.run;
  return (
    <div className={styles["controls"]}>
      {status === "waiting" && <DecideLink summary={summary} />}
      {summary.signs_in === true && <SignInLink title={summary.title} />}
      {status !== "pending" && status !== "waiting" && <PauseButton summary={summary} />}
      <StopButton summary={summary} />
    </div>
  );
}

/** To the card that asks about its next step. */
function DecideLink({ summary: { run, title } }: { readonly summary: WorkSummaryBody }): ReactNode {
  const { question } = run;
  if (question === undefined) return null;
  return (
    <Link
      href={`/review/${encodeURIComponent(question.request_id)}`}
      className={classes(buttons["button"], buttons["main"])}
      aria-label={words.work.decideOf(title)}
    >
      {words.work.decide}
    </Link>
  );
}

/** To the card of the sign-in that its next step waits for. */
function SignInLink({ title }: { readonly title: string }): ReactNode {
  return (
    <Link
      href="/review"
      className={classes(buttons["button"], buttons["main"])}
      aria-label={words.work.signInOf(title)}
    >
      {words.work.signIn}
    </Link>
  );
}

/** Holds a run after the step it is in, and lets it go on. What is asked for is said until it is so. */
function PauseButton({ summary: { run, title } }: { readonly summary: WorkSummaryBody }): ReactNode {
  // Asked in this state of the run; the next state answers it.
  const [askedIn, setAskedIn] = useState<string | null>(null);
  if (askedIn !== null && askedIn !== run.status) setAskedIn(null);
  const isAsked = askedIn === run.status;
  const isOffline = useConnection((state) => state.state === "offline");
  const reasonId = useId();
  const isPaused = run.status === "paused";
  const { pause, resume } = words.work;
  const ask = async (): Promise<void> => {
    setAskedIn(run.status);
    const act = isPaused ? "resume" : "pause";
    const answer = await send(`/api/work/${encodeURIComponent(run.run_id)}/${act}`, { method: "POST", json: {} });
    if (answer.ok) announce(words.work.said(title, isPaused ? resume.said : pause.said));
    else {
      setAskedIn(null);
      toast(answer.error.message || words.work.offline, { tone: "wrong" });
    }
    await invalidateReview();
  };
  const asked = isAsked ? (isPaused ? resume.asked : pause.asked) : null;
  return (
    <>
      <Button
        aria-label={asked ?? (isPaused ? resume.of(title) : pause.of(title))}
        aria-describedby={isOffline ? reasonId : undefined}
        aria-busy={isAsked}
        disabled={isOffline}
        onClick={() => {
          if (!isAsked) void ask();
        }}
      >
        {isPaused ? <Play size={14} fill="currentColor" aria-hidden /> : <Pause size={14} aria-hidden />}{" "}
        {asked ?? (isPaused ? resume.name : pause.name)}
      </Button>
      {isOffline && (
        <span id={reasonId} className="hidden-visually">
          {words.work.stopOffline}
        </span>
      )}
    </>
  );
}
