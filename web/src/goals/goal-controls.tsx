import { Pause, Play, RotateCw } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { GoalSummaryBody } from "#model";
import { Button } from "../parts/button.tsx";
import { invalidateReview } from "../review/review-reads.ts";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";
import { goalWords } from "../words/goal-words.ts";
import { words } from "../words.ts";
import styles from "./goals.module.css";

type Act = keyof typeof goalWords.said;

/** Look at it now, hold it, let it go on. None of them approves anything. */
export function GoalControls({ goal: { goal_id: id, title, status } }: { readonly goal: GoalSummaryBody }): ReactNode {
  const [asked, setAsked] = useState<Act | null>(null);
  const isOffline = useConnection((state) => state.state === "offline");
  const isPaused = status === "paused";
  const ask = async (act: Act): Promise<void> => {
    setAsked(act);
    const answer = await send(`/api/goals/${encodeURIComponent(id)}/${act}`, { method: "POST", json: {} });
    if (answer.ok) announce(`${title}: ${goalWords.said[act]}`);
    else toast(answer.error.message || words.connection.offline, { tone: "wrong" });
    await invalidateReview();
    setAsked(null);
  };
  const press = (act: Act) => () => {
    if (asked === null) void ask(act);
  };
  return (
    <div className={styles["controls"]} aria-busy={asked !== null}>
      {!isPaused && (
        <Button aria-label={goalWords.checkOf(title)} disabled={isOffline} onClick={press("check")}>
          <RotateCw size={16} aria-hidden /> {goalWords.check}
        </Button>
      )}
      {isPaused ? (
        <Button aria-label={goalWords.resumeOf(title)} disabled={isOffline} onClick={press("resume")}>
          <Play size={16} aria-hidden /> {goalWords.resume}
        </Button>
      ) : (
        <Button aria-label={goalWords.pauseOf(title)} disabled={isOffline} onClick={press("pause")}>
          <Pause size={16} aria-hidden /> {goalWords.pause}
        </Button>
      )}
    </div>
  );
}
