import { CircleCheck, CircleSlash2, Hourglass } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Instant } from "#base";
import type { ShownRequestBody } from "#model";
import { Button } from "../../parts/button.tsx";
import { Line } from "../../parts/text.tsx";
import { clockTime } from "../../time/format.ts";
import { RunMark, runStateWords } from "../../work/run-state.tsx";
import { useRunOf } from "../../work/work-reads.ts";
import { words } from "../../words.ts";
import { proposeAgain, saveReceipt } from "../decisions.ts";
import { placeWords } from "../place-words.ts";
import styles from "./card.module.css";

type SettledProps = { readonly request: ShownRequestBody; readonly onNext: () => void };

/** The card of a request that is over, in place of its choices: who decided, or that nobody did. */
export function Settled({ request, onNext }: SettledProps): ReactNode {
  const { state, decided_at: at } = request;
  return (
    <div className={styles["settled"]} data-testid="settled" role="status">
      <p className={styles["outcome"]}>
        <Outcome state={state} />
        <Line text={outcomeWords(request)} />
        {at !== null && (
          <time className="mono" dateTime={at}>
            {clockTime(at as Instant)}
          </time>
        )}
      </p>
      {state === "expired" && <p>{words.decided.expiredBody}</p>}
      {state === "approved" && <WhatRan requestId={request.request_id} />}
      <div className={styles["after"]}>
        <SettledAction request={request} />
        <Button onClick={onNext}>{words.review.next}</Button>
      </div>
    </div>
  );
}

/** What came of it so far; nothing for what does not run. */
function WhatRan({ requestId }: { readonly requestId: string }): ReactNode {
  const found = useRunOf(requestId);
  if (found === null) return null;
  return (
    <Link href={`/work/${found.run.run_id}`} className={styles["ran"]} data-testid="what-ran">
      <RunMark run={found.run} size={16} />
      <Line text={runStateWords(found)} />
    </Link>
  );
}

function SettledAction({ request }: { readonly request: ShownRequestBody }): ReactNode {
  const { request_id: requestId, state } = request;
  const named = { requestId, intent: request.card.intent };
  if (state === "expired") {
    return (
      <Button tone="main" onClick={() => void proposeAgain(named)}>
        {words.review.again}
      </Button>
    );
  }
  return state === "approved" ? <Button onClick={() => void saveReceipt(named)}>{words.review.receipt}</Button> : null;
}

function Outcome({ state }: Pick<ShownRequestBody, "state">): ReactNode {
  if (state === "approved") return <CircleCheck size={20} aria-hidden />;
  return state === "declined" ? <CircleSlash2 size={20} aria-hidden /> : <Hourglass size={20} aria-hidden />;
}

function outcomeWords({ state, decided_by: by, decided_by_name: name, replaced_by }: ShownRequestBody): string {
  if (state === "expired") return words.decided.expired;
  const where = placeWords(by === null ? null : { kind: by.kind, device_name: name });
  if (state === "approved") return words.decided.approved(where);
  return replaced_by === null ? words.decided.declined(where) : words.decided.replaced(where);
}
