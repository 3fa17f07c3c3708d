import type { ReactNode } from "react";
import type { Instant } from "#base";
import type { GoalSummaryBody } from "#model";
import { Line } from "../parts/text.tsx";
import { zoneHere } from "../time/clock.ts";
import { dateTime, zonedDateTime } from "../time/format.ts";
import { goalWords } from "../words/goal-words.ts";
import styles from "./goals.module.css";

const { facts } = goalWords;

/** When it is looked at, what the last look said, and what it may still do about a failure by itself. */
export function GoalFacts({ goal }: { readonly goal: GoalSummaryBody }): ReactNode {
  const { schedule_words: schedule, time_zone: zone, next_due: next, last_cycle: last } = goal;
  return (
    <dl className={styles["facts"]}>
      <dt>{facts.schedule}</dt>
      <dd>
        <Line text={schedule} /> <span className={styles["soft"]}>{facts.zone(zone)}</span>
      </dd>
      {goal.status !== "paused" && (
        <>
          <dt>{facts.next}</dt>
          <dd>{next === null ? facts.noNext : <Moment at={next} of={zone} />}</dd>
        </>
      )}
      <dt>{facts.last}</dt>
      <dd>
        {last === null ? (
          facts.never
        ) : (
          <>
            {goalWords.ended[last.ended]}, {goalWords.checksOf(last.passed, last.total)},{" "}
            <span className={styles["soft"]}>
              <Moment at={last.at} of={zone} />
            </span>
          </>
        )}
      </dd>
      <dt>{facts.repairs}</dt>
      <dd>{repairWords(goal)}</dd>
      <InConversation stream={goal.stream} />
    </dl>
  );
}

/** What it is to the conversation, for a goal that says something about messages. */
function InConversation({ stream }: Pick<GoalSummaryBody, "stream">): ReactNode {
  if (stream === null) return null;
  const { gates, levels, mode } = stream;
  return (
    <>
      <dt>{facts.messages}</dt>
      <dd data-testid="goal-messages">
        <Line text={stream.words} />
      </dd>
      {gates.length > 0 && (
        <>
          <dt>{facts.gates}</dt>
          <dd>
            <Line text={gates.map(({ name, on }) => facts.gate(name, facts.heard[on])).join(", ")} />
          </dd>
        </>
      )}
      {levels.length > 0 && (
        <>
          <dt>{facts.levels}</dt>
          <dd>
            <Line text={levels.join(", ")} />
          </dd>
        </>
      )}
      {mode !== "" && (
        <>
          <dt>{facts.mode}</dt>
          <dd>
            <Line text={mode} /> <span className={styles["soft"]}>{facts.modeUnused}</span>
          </dd>
        </>
      )}
    </>
  );
}

/** On the clock of this browser, which is named where the goal goes by another one. */
function Moment({ at, of }: { readonly at: string; readonly of: string }): ReactNode {
  return <time dateTime={at}>{of === zoneHere() ? dateTime(at as Instant) : zonedDateTime(at as Instant)}</time>;
}

function repairWords({ repairs_used: used, repairs_max: max, standing_until: until }: GoalSummaryBody): string {
  if (max === 0) return facts.noRepairs;
  const left = facts.repairsLeft(Math.max(0, max - used), max);
  return until === null ? left : `${left}, ${facts.until(dateTime(until as Instant))}`;
}
