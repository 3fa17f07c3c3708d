import { useEffect, useId, useRef, type ReactNode } from "react";
import { Link } from "wouter";
import { authorWords, replacedIn, type ShownPlan, type ShownRequestBody } from "#model";
import { classes } from "../parts/classes.ts";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import { takeFocusCall } from "./active-card.ts";
import { AnswerForm } from "./ask/answer-form.tsx";
import { useAnswer } from "./ask/use-answer.ts";
import { BatchBody } from "./batch/batch-body.tsx";
import { BatchList } from "./batch/batch-list.tsx";
import { useBatch, type Choosing } from "./batch/use-batch.ts";
import { cardTruth, type CardTruth } from "./card-truth.ts";
import styles from "./card/card.module.css";
import { Facts } from "./card/facts.tsx";
import { PayloadFacts } from "./card/payload-facts.tsx";
import { PlanHash } from "./card/plan-hash.tsx";
import { Settled } from "./card/settled.tsx";
import { SignedDetails } from "./card/signed-details.tsx";
import { Age, TimeLeft } from "./card/time-left.tsx";
import { DecisionZone } from "./decision-zone.tsx";
import { RiskMark } from "./risk-mark.tsx";
import { useDecision } from "./use-decision.ts";

type CardProps = {
  readonly request: ShownRequestBody;
  readonly isAttentionAsked: boolean;
  /** After a decision made here, with the sentence that says what happened. */
  readonly onDecided: (said: string) => void;
  /** On to the request that took the place of this one. */
  readonly onReplaced: (id: string) => void;
  /** On to the next one, from a card that was decided elsewhere or ran out of time. */
  readonly onNext: () => void;
};

/** One decision with everything that is needed for it. What is shown is made of the text that would be signed. */
export function DecisionCard({ request, isAttentionAsked, onDecided, onReplaced, onNext }: CardProps): ReactNode {
  const titleId = useId();
  const truth = cardTruth(request);
  const batch = useBatch(request);
  const choosing = truth.kind === "holds" ? batch : null;
  const asked = useAnswer(request);
  const asking = truth.kind === "holds" ? asked : null;
  const decision = useDecision({ request, choosing, asking, onDecided, onReplaced });
  const isOpen = request.state === "pending" || decision.phase !== "idle";
  const { card, risk_level: risk } = request;
  return (
    <article
      className={classes(styles["card"], isAttentionAsked && styles["attention"])}
      aria-labelledby={titleId}
      data-card-type={card.card_type}
      data-risk={risk}
      data-request={request.request_id}
      data-state={request.state}
      data-truth={truth.kind}
    >
      <CardSummary request={request} truth={truth} titleId={titleId} isOpen={isOpen} choosing={choosing} />
      {choosing !== null && (
        <>
          <BatchList choosing={choosing} />
          <Meta request={request} />
        </>
      )}
      {isOpen ? (
        <>
          <SignedPart request={request} truth={truth} />
          {asking !== null && <AnswerForm asking={asking} />}
          <DecisionZone {...{ request, truth, decision, choosing, asking }} />
        </>
      ) : (
        <>
          <Settled request={request} onNext={onNext} />
          <SignedPart request={request} truth={truth} />
        </>
      )}
    </article>
  );
}

type SummaryProps = {
  readonly request: ShownRequestBody;
  readonly truth: CardTruth;
  readonly titleId: string;
  readonly isOpen: boolean;
  readonly choosing: Choosing | null;
};

/** Fits a phone without scrolling; what would not, is in the details. [CARD-04] */
function CardSummary({ request, truth, titleId, isOpen, choosing }: SummaryProps): ReactNode {
  const { card } = request;
  const author = authorWords(request.proposed_by);
  const replaced = truth.kind === "holds" ? replacedIn({ markdown: request.markdown, rows: truth.rows }) : null;
  const plan = truth.kind === "holds" ? truth.plan : null;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeFocusCall()) heading.current?.focus();
  }, []);
  return (
    <div className={styles["body"]} data-testid="card-body">
      <div className={styles["band"]}>
        <RiskMark risk={request.risk_level} />
        {isOpen && <TimeLeft expires_at={request.expires_at} />}
      </div>
      <h2 id={titleId} ref={heading} tabIndex={-1} data-lines={author === null ? 3 : 2}>
        <Line text={card.intent} />
      </h2>
      {author !== null && (
        <p className={styles["author"]} data-testid="author">
          {author}
        </p>
      )}
      {replaced !== null && (
        <p className={styles["replaced"]} data-testid="replaced">
          <Link href={`/work/${replaced.runId}`}>
            <Line text={words.card.replaces(replaced.title, replaced.why)} />
          </Link>
        </p>
      )}
      <p
        className={styles["rationale"]}
        data-lines={choosing !== null ? linesLeft(choosing) : wordsLeft({ author, replaced, plan })}
      >
        <Line text={card.rationale} />
      </p>
      <PayloadFacts request={request} />
      {choosing === null ? (
        <Facts card={card} plan={plan} schedule={request.schedule} />
      ) : (
        <BatchBody choosing={choosing} />
      )}
      {choosing === null && <Meta request={request} />}
    </div>
  );
}

/** Rows of items take the room of words about them; the details have the words whole. */
const linesLeft = ({ batch }: Choosing): number => (batch.flagged.length > 2 ? 1 : 2);

/** What is said about where it comes from takes the room of words about what it does. */
const wordsLeft = ({ author, replaced, plan }: Around): number =>
  replaced !== null ? 1 : (author === null ? 4 : 3) - (plan?.type === "goal" ? 2 : 0);
type Around = {
  readonly author: string | null;
  readonly replaced: object | null;
  readonly plan: ShownPlan | null;
};

function Meta({ request }: { readonly request: ShownRequestBody }): ReactNode {
  return (
    <div className={styles["meta"]}>
      <PlanHash hash={request.plan_hash} />
      <Age created_at={request.created_at} />
    </div>
  );
}

function SignedPart({ request, truth }: { readonly request: ShownRequestBody; readonly truth: CardTruth }): ReactNode {
  if (truth.kind === "tampered") {
    return (
      <div className={styles["tampered"]} role="alert" data-testid="tampered">
        <h3>{words.card.tampered}</h3>
        <p>{words.card.tamperedBody}</p>
      </div>
    );
  }
  return <SignedDetails card={request.card} rows={truth.rows} plan={truth.plan} />;
}
