import { CircleHelp } from "lucide-react";
import { useId, type ReactNode } from "react";
import { Link } from "wouter";
import type { Instant } from "#base";
import { SETTLE_CHOICES, type DoubtBody, type SettleChoice } from "#model";
import { Button } from "../../parts/button.tsx";
import { Line } from "../../parts/text.tsx";
import { useChoice } from "../../review/use-choice.ts";
import { dateTime } from "../../time/format.ts";
import { announce, toast } from "../../ui-state.ts";
import { useConnection } from "../../wire/connection.ts";
import { send } from "../../wire/http.ts";
import { runPageWords } from "../../words/run-page-words.ts";
import { words } from "../../words.ts";
import styles from "./doubt-card.module.css";

const { doubt: said } = runPageWords;

/** A step may have happened and nobody saw its end: only a person can look. Each choice says what it does. */
export function DoubtCard({ doubt }: { readonly doubt: DoubtBody }): ReactNode {
  const titleId = useId();
  return (
    <article className={styles["card"]} aria-labelledby={titleId} data-card-type="doubt" data-run={doubt.run_id}>
      <p className={styles["band"]}>
        <CircleHelp size={16} aria-hidden /> {said.title}
        <time dateTime={doubt.since}>{dateTime(doubt.since as Instant)}</time>
      </p>
      <h2 id={titleId}>
        <Line text={said.intent(doubt.title)} />
      </h2>
      <p>
        <Line text={stepWords(doubt)} />
      </p>
      <Places places={doubt.places} />
      {doubt.results.length > 0 && (
        <section>
          <h3>{said.saw}</h3>
          <ul>
            {doubt.results.map(({ name, passed }) => (
              <li key={name}>
                <Line text={name} />: {passed ? words.work.passed : words.work.failed}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Choices doubt={doubt} />
      <Link href={`/work/${doubt.run_id}`}>{runPageWords.after.show}</Link>
    </article>
  );
}

function stepWords({ step, reason }: DoubtBody): string {
  if (step === null) return reason;
  return step.is_open ? said.open(step.number, step.name) : said.closed(step.number, step.name);
}

function Places({ places }: Pick<DoubtBody, "places">): ReactNode {
  if (places.length === 0) return <p className={styles["soft"]}>{said.noPlaces}</p>;
  return (
    <section>
      <h3>{said.look}</h3>
      <ul>
        {places.map((place) => (
          <li key={place}>
            <code>
              <Line text={place} />
            </code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Choices({ doubt }: { readonly doubt: DoubtBody }): ReactNode {
  const isOffline = useConnection((state) => state.state === "offline");
  const { asked, choose } = useChoice(async (choice: SettleChoice) => {
    const address = `/api/work/${encodeURIComponent(doubt.run_id)}/settle`;
    const answer = await send(address, { method: "POST", json: { choice } });
    if (answer.ok) announce(words.work.said(doubt.title, said.said[choice]));
    else toast(answer.error.message || words.ladder.offline, { tone: "wrong" });
  });
  return (
    <div className={styles["choices"]} aria-busy={asked !== null}>
      {isOffline && <p role="alert">{words.ladder.offline}</p>}
      {SETTLE_CHOICES.map((choice) => (
        <Choice
          key={choice}
          choice={choice}
          checks={doubt.checks}
          isBlocked={isOffline}
          isAsked={asked === choice}
          onChoose={() => choose(choice)}
        />
      ))}
    </div>
  );
}

type ChoiceProps = {
  readonly choice: SettleChoice;
  readonly checks: number;
  readonly isBlocked: boolean;
  readonly isAsked: boolean;
  readonly onChoose: () => void;
};

function Choice({ choice, checks, isBlocked, isAsked, onChoose }: ChoiceProps): ReactNode {
  const meansId = useId();
  return (
    <div className={styles["choice"]}>
      <Button
        tone={choice === "leave" ? "quiet" : "plain"}
        disabled={isBlocked}
        aria-describedby={meansId}
        data-choice={choice}
        onClick={onChoose}
      >
        {isAsked ? said.busy : said.choices[choice]}
      </Button>
      <p id={meansId}>{said.means[choice](checks)}</p>
    </div>
  );
}
