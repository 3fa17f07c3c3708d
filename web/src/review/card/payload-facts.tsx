import type { ReactNode } from "react";
import { readPayload, type PayloadKind, type ShownPayload, type ShownRequestBody } from "#model";
import { escalationRows, setupRows } from "../../connections/setup-rows.ts";
import { Line } from "../../parts/text.tsx";
import { askWords } from "../../words/ask-words.ts";
import { limitWords } from "../../words/limit-words.ts";
import { words } from "../../words.ts";
import styles from "./card.module.css";
import { StepFacts } from "./step-facts.tsx";

/**
 * What a decision that is no plan is about, read from the text that is signed: nobody approves a value, a text or a limit
 * without having seen it. What does not fit stands whole in the details. [PWA-08] [PWA-10]
 */
export function PayloadFacts({ request }: { readonly request: ShownRequestBody }): ReactNode {
  if (request.kind === "plan_approval" || request.kind === "batch_review") return null;
  const read = readPayload(request.kind as PayloadKind, request.projection);
  if (!read.ok) return null;
  const { payload } = read.value;
  if (payload.kind === "step_approval") return <StepFacts payload={payload} />;
  const rows = rowsOf(payload);
  return (
    <dl className={styles["facts"]} data-testid="payload-facts">
      {rows.map(({ key, name, text }) => (
        <div key={key}>
          <dt>{name}</dt>
          <dd className={styles["shown"]} title={text}>
            <Line text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Which of its files can be run; their whole text stands in the details. */
const scriptsOf = (files: readonly { readonly path: string }[]): string =>
  files
    .filter(({ path }) => path.startsWith("scripts/"))
    .map(({ path }) => path)
    .join(", ");

/** As many as fit a phone; how many there are is said beside them, and such a card has its details open. */
const CHANGES_SHOWN = 2;

type Row = { readonly key: string; readonly name: string; readonly text: string };

function rowsOf(payload: ShownPayload): readonly Row[] {
  switch (payload.kind) {
    case "gate_approval":
      return [
        { key: "gate", name: words.card.gate, text: payload.gate },
        { key: "value", name: words.card.value, text: String(payload.value) },
      ];
    case "memory_promotion":
      return [{ key: "text", name: words.card.text, text: payload.content }];
    case "autonomy_threshold":
      return [
        ...payload.changes
          .slice(0, CHANGES_SHOWN)
          .map(({ key, current_value: from, proposed_value: to, direction }) => ({
            key,
            name: words.card.limit[direction],
            text: words.card.limitChange(key, { from, to }),
          })),
        { key: "evidence", name: limitWords.evidence, text: payload.evidence_window },
      ];
    case "skill_install":
      return [
        { key: "description", name: words.card.skillSays, text: payload.description },
        { key: "scripts", name: words.card.skillScripts, text: scriptsOf(payload.files) || words.card.noScripts },
      ];
    case "decision":
      return [{ key: "question", name: askWords.question, text: payload.question }];
    case "draft_review":
      return [{ key: "about", name: askWords.about, text: payload.context }];
    case "connection_setup":
      return setupRows(payload);
    case "permission_escalation":
      return escalationRows(payload);
    case "batch_review":
    case "step_approval":
      return [];
  }
}
