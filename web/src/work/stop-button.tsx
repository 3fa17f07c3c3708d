import { Square } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import type { WorkSummaryBody } from "#model";
import { Button } from "../parts/button.tsx";
import { useFocusAfterGoing } from "../parts/focus-page.ts";
import { invalidateReview } from "../review/review-reads.ts";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";
import { words } from "../words.ts";

/** Ends a run at once. It is there as long as the run is. */
export function StopButton({ summary }: { readonly summary: WorkSummaryBody }): ReactNode {
  const { run, title } = summary;
  const [isStopping, setIsStopping] = useState(false);
  const isOffline = useConnection((state) => state.state === "offline");
  const reasonId = useId();
  const focusAfterGoing = useFocusAfterGoing();
  const stop = async (): Promise<void> => {
    setIsStopping(true);
    focusAfterGoing();
    const answer = await send(`/api/work/${encodeURIComponent(run.run_id)}/cancel`, { method: "POST", json: {} });
    if (answer.ok) announce(words.work.said(title, words.work.outcome({ ...run, status: "cancelled" })));
    else toast(answer.error.message || words.work.notStopped, { tone: "wrong" });
    await invalidateReview();
    setIsStopping(false);
  };
  return (
    <>
      <Button
        aria-label={isStopping ? undefined : words.work.stopOf(title)}
        aria-describedby={isOffline ? reasonId : undefined}
        aria-busy={isStopping}
        disabled={isOffline}
        onClick={() => {
          if (!isStopping) void stop();
        }}
      >
        <Square size={14} fill="currentColor" aria-hidden /> {isStopping ? words.work.stopping : words.work.stop}
      </Button>
      {isOffline && (
        <span id={reasonId} className="hidden-visually">
          {words.work.stopOffline}
        </span>
      )}
    </>
  );
}
