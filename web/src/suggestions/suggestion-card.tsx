import { Lightbulb } from "lucide-react";
import { useId, type ReactNode } from "react";
import { useLocation } from "wouter";
import { placeOfSuggestion, SOURCE_WORDS, suggestionCtas, type SuggestionAnswer, type SuggestionBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import { useChoice } from "../review/use-choice.ts";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";
import { suggestionWords as said } from "../words/suggestion-words.ts";
import { words } from "../words.ts";
import styles from "./suggestion-card.module.css";
import { useSuggestions } from "./suggestion-reads.ts";

/** Behind everything that waits: nothing is held up by a suggestion. */
export function Suggestions(): ReactNode {
  return useSuggestions().suggestions.map((suggestion) => (
    <SuggestionCard key={suggestion.suggestion_id} suggestion={suggestion} />
  ));
}

type CardProps = { readonly suggestion: SuggestionBody };

function SuggestionCard({ suggestion }: CardProps): ReactNode {
  const titleId = useId();
  const { intent, rationale, source, suggestion_id: id } = suggestion;
  return (
    <article className={styles["card"]} aria-labelledby={titleId} data-card-type="suggestion" data-request={id}>
      <p className={styles["band"]}>
        <Lightbulb size={16} aria-hidden /> {said.title}
        <span className={styles["soft"]}>{SOURCE_WORDS[source]}</span>
      </p>
      <h2 id={titleId}>
        <Line text={intent} />
      </h2>
      <p>
        <Line text={rationale} />
      </p>
      <Choices suggestion={suggestion} />
    </article>
  );
}

function Choices({ suggestion: { suggestion_id: id, intent, offer, risk_level: risk } }: CardProps): ReactNode {
  const isOffline = useConnection((state) => state.state === "offline");
  const [, navigate] = useLocation();
  const { asked, choose } = useChoice(async (answer: SuggestionAnswer) => {
    const address = `/api/suggestions/${encodeURIComponent(id)}/answer`;
    const given = await send<{ readonly suggestion: SuggestionBody }>(address, { method: "POST", json: { answer } });
    if (!given.ok) return toast(given.error.message || words.connection.offline, { tone: "wrong" });
    announce(`${intent}: ${said.said[answer]}`);
    if (answer !== "do_it") return;
    const { suggestion } = given.value;
    // Words for Talk go beside the address and not in it: a link from elsewhere must not fill in anything.
    navigate(placeOfSuggestion(suggestion), offer === "next_step" ? { state: { text: suggestion.rationale } } : {});
  });
  return (
    <div className={styles["choices"]} aria-busy={asked !== null}>
      {isOffline && <p role="alert">{words.connection.offline}</p>}
      {suggestionCtas(offer).map(({ action, role, label, consequenceLabel }) => (
        <Button
          key={action}
          tone={role === "recommended" ? "plain" : "quiet"}
          disabled={isOffline}
          aria-label={`${label}: ${intent}. ${consequenceLabel}`}
          data-choice={action}
          onClick={() => choose(action)}
        >
          {asked === action ? said.busy : label}
        </Button>
      ))}
      <p className={styles["soft"]}>
        {suggestionCtas(offer)[0]?.consequenceLabel}. {said.risk[risk]}.
      </p>
    </div>
  );
}
