import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { termsWords, type CardBody, type CardRow, type ShownPlan } from "#model";
import { Line, Paragraphs } from "../../parts/text.tsx";
import { words } from "../../words.ts";
import styles from "./details.module.css";
import { limitWords } from "./facts.tsx";
import { Group, PlanReach, withPlaces } from "./reach.tsx";

type SignedDetailsProps = {
  readonly card: CardBody;
  /** Every value of the signed text, made here. */
  readonly rows: readonly CardRow[];
  readonly plan: ShownPlan | null;
};

/** A rationale this long is whole on the card itself; of a longer one, and beside the items of a batch, the card shows a few lines. */
const RATIONALE_WHOLE_CHARS = 160;

/** All of it, nothing shortened. Open by itself where the risk is high. [CARD-05] */
export function SignedDetails({ card, rows, plan }: SignedDetailsProps): ReactNode {
  const isOpen = card.risk_level === "high" || card.risk_level === "irreversible";
  const notes = card.details.notes ?? [];
  return (
    <details className={styles["details"]} open={isOpen} data-testid="details">
      <summary>
        <ChevronRight size={18} aria-hidden />
        {words.card.details}
        <span>{words.card.values(rows.length)}</span>
      </summary>
      <div className={styles["inside"]}>
        {(card.rationale.length > RATIONALE_WHOLE_CHARS || card.card_type === "batch_review") && (
          <section className={styles["group"]}>
            <h3>{words.card.why}</h3>
            <p>
              <Line text={card.rationale} />
            </p>
          </section>
        )}
        {card.terms !== undefined && (
          <section className={styles["group"]} data-testid="terms">
            <h3>{words.card.approval}</h3>
            <p>{words.card.terms(termsWords({ uses: card.terms.max_executions, validMs: card.terms.valid_ms }))}</p>
          </section>
        )}
        {plan !== null && <PlanReach plan={plan} />}
        {plan !== null && <Checks checks={card.checks} />}
        {card.budget !== null && (
          <Group name={words.card.limits} empty="">
            {[...limitWords(card.budget), words.card.plannerCalls(card.budget.max_planner_calls)].map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </Group>
        )}
        <section className={styles["group"]}>
          <h3>{words.card.hash}</h3>
          <code className={styles["whole"]}>{card.plan_hash}</code>
        </section>
        <section className={styles["group"]}>
          <h3>{words.card.allValues}</h3>
          <Rows rows={rows} />
        </section>
        {notes.length > 0 && (
          <section className={styles["group"]} data-testid="notes">
            <h3>{words.card.notes}</h3>
            <Rows rows={notes} />
          </section>
        )}
      </div>
    </details>
  );
}

function Rows({ rows }: { readonly rows: readonly CardRow[] }): ReactNode {
  return (
    <dl className={styles["rows"]}>
      {rows.map(({ path, kind, text }) => (
        <div key={path} data-row={path}>
          <dt>
            <Line text={path} />
          </dt>
          <dd data-kind={kind}>{kind === "none" ? words.card.none : <Paragraphs text={text} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function Checks({ checks }: Pick<CardBody, "checks">): ReactNode {
  return (
    <Group name={words.card.checks} empty={words.card.noChecks}>
      {withPlaces(checks).map(({ place, each: { name, command, expects, network, timeout_seconds: timeout } }) => (
        <li key={place}>
          <span>
            <Line text={name} />: <Line text={expects} />
          </span>
          <code>
            <Line text={command} />
          </code>
          <span className={styles["soft"]}>
            {network ? words.card.network : words.card.noNetwork}, {words.card.timeout(timeout)}
          </span>
        </li>
      ))}
    </Group>
  );
}
