import { CTA_ROLES, type ConnectionCard, type ConnectionCardOf } from "#model";
import { connectionWords as said } from "../words/connection-words.ts";

/** One thing that can be answered: what is on it, and what it does. */
export type CardChoice = {
  readonly action: string;
  readonly role: (typeof CTA_ROLES)[number];
  readonly label: string;
  readonly means: string;
};

const SKIP: CardChoice = { action: "skip", role: "decline", label: said.skip, means: said.skipMeans };

/** The recommended first and declining last, whatever order came; a failure can always be left as it is. [CARD-03] [CARD-10] */
export function choicesOf(card: ConnectionCard): readonly CardChoice[] {
  const all = card.card_type === "connection_failure" ? recoveries(card) : card.ctas.map(asChoice);
  return all.toSorted((a, b) => CTA_ROLES.indexOf(a.role) - CTA_ROLES.indexOf(b.role));
}

const asChoice = ({ action, role, label, consequence_label: means }: ConnectionCard["ctas"][number]): CardChoice => ({
  action,
  role,
  label,
  means,
});

function recoveries({
  recovery_options: options,
  ctas,
}: ConnectionCardOf<"connection_failure">): readonly CardChoice[] {
  const chips = options.map(({ action, label, description: means }): CardChoice => {
    const role = action === SKIP.action ? SKIP.role : (ctas.find((cta) => cta.action === action)?.role ?? "safe");
    return { action, role, label, means };
  });
  return chips.some(({ action }) => action === SKIP.action) ? chips : [...chips, SKIP];
}
