import { CalendarClock } from "lucide-react";
import { useId, type ReactNode } from "react";
import { Link } from "wouter";
import type { GoalSummaryBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import { useChoice } from "../review/use-choice.ts";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";
import { goalWords } from "../words/goal-words.ts";
import { words } from "../words.ts";
import styles from "../work/doubt/doubt-card.module.css";

const { missed: said } = goalWords;
const CHOICES = ["check", "leave"] as const;
type Choice = (typeof CHOICES)[number];

/** Checks passed while nobody could look, and the settings say to ask. Neither answer approves anything. */
export function MissedChecksCard({ goal }: { readonly goal: GoalSummaryBody }): ReactNode {
  const titleId = useId();
  return (
    <article className={styles["card"]} aria-labelledby={titleId} data-card-type="missed_checks">
      <p className={styles["band"]}>
        <CalendarClock size={16} aria-hidden /> {said.title}
      </p>
      <h2 id={titleId}>
        <Line text={said.intent(goal.missed_checks, goal.title)} />
      </h2>
      <p>{said.body}</p>
      <Choices goal={goal} />
      <Link href={`/goals/${encodeURIComponent(goal.goal_id)}`}>{said.show}</Link>
    </article>
  );
}

function Choices({ goal: { goal_id: id, title } }: { readonly goal: GoalSummaryBody }): ReactNode {
  const isOffline = useConnection((state) => state.state === "offline");
  const { asked, choose } = useChoice(async (choice: Choice) => {
    const answer = await send(`/api/goals/${encodeURIComponent(id)}/${choice}`, { method: "POST", json: {} });
    if (answer.ok) announce(`${title}: ${said.said[choice]}`);
    else toast(answer.error.message || words.connection.offline, { tone: "wrong" });
  });
  return (
    <div className={styles["choices"]} aria-busy={asked !== null}>
      {isOffline && <p role="alert">{words.connection.offline}</p>}
      {CHOICES.map((choice) => (
        <div key={choice} className={styles["choice"]}>
          <Button
            tone={choice === "leave" ? "quiet" : "plain"}
            disabled={isOffline}
            aria-label={`${said.choices[choice]}: ${title}`}
            data-choice={choice}
            onClick={() => choose(choice)}
          >
            {asked === choice ? said.busy : said.choices[choice]}
          </Button>
          <p>{said.means[choice]}</p>
        </div>
      ))}
    </div>
  );
}
