import { useEffect, useId, useRef, type ReactNode } from "react";
import type { ConnectionCard } from "#model";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import cards from "../review/card/card.module.css";
import { RiskMark } from "../review/risk-mark.tsx";
import { connectionWords as said } from "../words/connection-words.ts";
import { CardBody } from "./card-body.tsx";
import { choicesOf, type CardChoice } from "./choices.ts";
import styles from "./connections.module.css";
import { endOf, secondsLeft } from "./seconds-left.ts";
import { TimeRunning } from "./time-running.tsx";

export type ShownCard = {
  readonly connectionId: string;
  readonly card: ConnectionCard;
  /** When the server showed it; null for what has no clock. */
  readonly shownAt: string | null;
};
export type Answering = {
  /** The choice that is on its way; there is no second one meanwhile. */
  readonly asked: string | null;
  readonly isOffline: boolean;
  readonly choose: (action: string) => void;
};
type ViewProps = {
  readonly shown: ShownCard;
  readonly nowMs: number;
  readonly answering: Answering;
  /** Whether what runs Silas is the machine this page is on. */
  readonly place: "same_machine" | "elsewhere";
};

/**
 * A card of a connection: one step of its setup, or what went wrong with it. It authorises nothing; what does, is a request
 * that is signed. Everything a script wrote is shown as text. [CARD-07] [CARD-08] [CARD-10] [CARD-11]
 */
export function ConnectionCardView({ shown, nowMs, answering, place }: ViewProps): ReactNode {
  const { card, connectionId, shownAt } = shown;
  const titleId = useId();
  const secondsOf = card.card_type === "device_code" && shownAt !== null ? card.expires_in : null;
  const timed = secondsOf === null || shownAt === null ? null : { shown_at: shownAt, expires_in: secondsOf };
  const left = timed === null ? null : secondsLeft(timed, nowMs);
  return (
    <article
      className={cards["card"]}
      aria-labelledby={titleId}
      data-card-type={card.card_type}
      data-risk={card.risk_level}
      data-connection={connectionId}
      data-state="pending"
    >
      <div className={cards["body"]} data-testid="card-body">
        <div className={cards["band"]}>
          <RiskMark risk={card.risk_level} />
          {timed !== null && left !== null && <TimeRunning seconds={left} endsAtMs={endOf(timed)} />}
        </div>
        <Heading id={titleId} text={card.intent} />
        <p className={cards["rationale"]}>
          <Line text={card.rationale} />
        </p>
        <CardBody shown={shown} nowMs={nowMs} place={place} left={left} />
      </div>
      <Choices choices={left === 0 ? withoutDone(card) : choicesOf(card)} answering={answering} />
    </article>
  );
}

/** A code whose time is over cannot have been entered any more. */
const withoutDone = (card: ConnectionCard): readonly CardChoice[] =>
  choicesOf(card).filter(({ action }) => action !== "done");

/** A step that takes the place of another is read out from its heading on, if that is where the reader was. */
function Heading({ id, text }: { readonly id: string; readonly text: string }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(text);
  useEffect(() => {
    const isNext = before.current !== text;
    before.current = text;
    const article = heading.current?.closest("article");
    if (isNext && article?.contains(document.activeElement)) heading.current?.focus();
  }, [text]);
  return (
    <h2 id={id} ref={heading} tabIndex={-1}>
      <Line text={text} />
    </h2>
  );
}

type ChoicesProps = { readonly choices: readonly CardChoice[]; readonly answering: Answering };

function Choices({ choices, answering }: ChoicesProps): ReactNode {
  const reasonId = useId();
  const { asked, isOffline } = answering;
  const isBlocked = isOffline || asked !== null;
  return (
    <div className={cards["zone"]} data-testid="choices" aria-busy={asked !== null}>
      <p id={reasonId} className={cards["reason"]} role={isOffline ? "alert" : "status"}>
        {isOffline ? said.offline : asked === null ? "" : said.busy}
      </p>
      {choices.map((choice) => (
        <Choice
          key={choice.action}
          choice={choice}
          blockedBy={isBlocked ? reasonId : null}
          onChoose={() => answering.choose(choice.action)}
        />
      ))}
    </div>
  );
}

const TONES = { recommended: "main", safe: "plain", decline: "quiet" } as const;

type ChoiceProps = {
  readonly choice: CardChoice;
  readonly blockedBy: string | null;
  readonly onChoose: () => void;
};

/** What it is called, and below it what it does: never a bare "OK". Both are its name for whoever hears it. [CARD-02] */
function Choice({ choice, blockedBy, onChoose }: ChoiceProps): ReactNode {
  return (
    <Button
      tone={TONES[choice.role]}
      className={styles["choice"]}
      data-role={choice.role}
      data-choice={choice.action}
      disabled={blockedBy !== null}
      aria-describedby={blockedBy ?? undefined}
      onClick={onChoose}
    >
      <span>
        <Line text={choice.label} />
      </span>{" "}
      <span className={styles["means"]}>
        <Line text={choice.means} />
      </span>
    </Button>
  );
}
