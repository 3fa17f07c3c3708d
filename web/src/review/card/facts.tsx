import type { ReactNode } from "react";
import type { Instant } from "#base";
import { scheduleWords, type CardBody, type ShownPlan, type ShownRequestBody } from "#model";
import { Line } from "../../parts/text.tsx";
import { zoneHere } from "../../time/clock.ts";
import { dateTime, duration, zonedDateTime } from "../../time/format.ts";
import { stepNames } from "../../work/step-names.ts";
import { words } from "../../words.ts";
import styles from "./card.module.css";

const dollars = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  // A limit is never shown rounded.
  maximumFractionDigits: 20,
});
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

type FactsProps = {
  readonly card: CardBody;
  readonly schedule: ShownRequestBody["schedule"];
  /** The plan in the signed text; null for what is no plan. */
  readonly plan: ShownPlan | null;
};

/** What would be done, what is touched, what decides that it is done, and what it may use: one line each, whole in the details. */
export function Facts({ card, plan, schedule }: FactsProps): ReactNode {
  const { affected_items: affected, checks, budget } = card;
  const parts = plan === null ? null : partsOf(plan);
  return (
    <dl className={styles["facts"]}>
      {parts !== null && parts.names.length > 0 && (
        <Fact name={parts.word} data-testid="parts">
          <Line text={parts.names.join(", ")} />
        </Fact>
      )}
      {plan?.type === "goal" && <Schedule signed={plan.schedule} times={schedule} />}
      {affected !== null && (
        <Fact name={words.card.affects}>
          <Line text={affected.summary} />
        </Fact>
      )}
      {card.card_type === "plan_approval" && (
        <Fact name={words.card.checks} data-testid="checks">
          {checks.length === 0 ? words.card.noChecks : <Line text={checks.map(({ name }) => name).join(", ")} />}
        </Fact>
      )}
      {budget !== null && (
        <Fact name={words.card.limits}>
          <span className={styles["figures"]}>{limitWords(budget).join(", ")}</span>
        </Fact>
      )}
    </dl>
  );
}

type ScheduleProps = { readonly signed: string | null; readonly times: FactsProps["schedule"] };

/** The schedule comes from the signed text; its zone and its next time are what the server would make of it now. */
function Schedule({ signed, times }: ScheduleProps): ReactNode {
  const when = scheduleWords(signed);
  const next = times?.next_due ?? null;
  const show = times?.time_zone === zoneHere() ? dateTime : zonedDateTime;
  return (
    <>
      <Fact name={words.card.schedule} data-testid="schedule">
        <Line text={times === undefined || next === null ? when : words.card.scheduleIn(when, times.time_zone)} />
      </Fact>
      {next !== null && (
        <Fact name={words.card.next} data-testid="next-due">
          <time dateTime={next}>{show(next as Instant)}</time>
        </Fact>
      )}
    </>
  );
}

export function limitWords(budget: NonNullable<CardBody["budget"]>): readonly string[] {
  return [
    dollars.format(budget.max_cost_usd),
    duration(budget.max_wall_time_seconds),
    words.card.tokens(compact.format(budget.max_tokens)),
    words.card.tries(budget.max_attempts),
  ];
}

/** The tasks of a project, the steps of anything else, by what they are called. */
function partsOf(plan: ShownPlan): { readonly word: string; readonly names: readonly string[] } {
  const tasks = plan.children.flatMap((child) => (child === null ? [] : [child.title]));
  if (plan.type === "project") return { word: words.card.tasks, names: tasks };
  return { word: words.card.steps, names: stepNames(plan) };
}

type FactProps = { readonly name: string; readonly children: ReactNode; readonly "data-testid"?: string };

function Fact({ name, children, ...rest }: FactProps): ReactNode {
  return (
    <div {...rest}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
