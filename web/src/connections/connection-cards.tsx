import { useEffect, useState, type ReactNode } from "react";
import type { ConnectionViewBody } from "#model";
import { useChoice } from "../review/use-choice.ts";
import { invalidateReview } from "../review/review-reads.ts";
import { useNow } from "../time/clock.ts";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { connectionWords as said } from "../words/connection-words.ts";
import { askConnection } from "./connection-reads.ts";
import { ConnectionCardView, type ShownCard } from "./card-view.tsx";
import { EndedCard } from "./ended-card.tsx";
import styles from "./connections.module.css";
import { Line } from "../parts/text.tsx";
import { isLoopback } from "../parts/outside-address.ts";
import { endOf } from "./seconds-left.ts";

/** Past the end, so that the server's clock has passed it too. */
const AFTER_MS = 400;

/** The steps of setups that have come to a person, and what went wrong. */
export function ConnectionCards({ connections }: { readonly connections: readonly ConnectionViewBody[] }): ReactNode {
  return connections.map((view) => <OneConnection key={view.record.connection_id} view={view} />);
}

/** A setup that was shown here stays when it is over, and says how: nothing goes from under a finger. */
function OneConnection({ view }: { readonly view: ConnectionViewBody }): ReactNode {
  const { setup, failure } = view;
  const isGoing = view.record.status === "connecting";
  const [wasShown, setWasShown] = useState(false);
  const [had, setHad] = useState<readonly string[] | null>(null);
  if (isGoing && !wasShown) {
    setWasShown(true);
    setHad(view.widens === null ? null : view.record.permissions_granted);
  }
  // A failure says itself how it ended, and what is asked next is about another setup.
  if (failure !== null && wasShown) setWasShown(false);
  if (setup !== null) return <SetupCard view={view} setup={setup} />;
  if (isGoing) return <StartingCard view={view} />;
  if (failure !== null) return <FailureCard view={view} card={failure} />;
  return wasShown ? <EndedCard view={view} had={had} onDismiss={() => setWasShown(false)} /> : null;
}

/** Approved, and its script has not said anything yet. */
function StartingCard({ view: { service, widens } }: { readonly view: ConnectionViewBody }): ReactNode {
  return (
    <p className={styles["starting"]} role="status">
      <Line text={(widens === null ? said.starting : said.startingAgain)(service)} />
    </p>
  );
}

type Setup = NonNullable<ConnectionViewBody["setup"]>;
type SetupProps = { readonly view: ConnectionViewBody; readonly setup: Setup };

function SetupCard({ view, setup }: SetupProps): ReactNode {
  const { step_id, step_type, shown_at: shownAt, card } = setup;
  const id = view.record.connection_id;
  const seconds = card.card_type === "device_code" ? card.expires_in : null;
  useEffect(() => {
    if (seconds === null) return undefined;
    const ends = endOf({ shown_at: shownAt, expires_in: seconds });
    const timer = setTimeout(() => void invalidateReview(), Math.max(0, ends - Date.now()) + AFTER_MS);
    return () => clearTimeout(timer);
  }, [shownAt, seconds]);
  return (
    <Answerable
      shown={{ connectionId: id, card, shownAt }}
      answer={(action) => askConnection({ id, verb: "step", json: { step_id, step_type, action } })}
    />
  );
}

type FailureProps = { readonly view: ConnectionViewBody; readonly card: ShownCard["card"] };

function FailureCard({ view, card }: FailureProps): ReactNode {
  const id = view.record.connection_id;
  return (
    <Answerable
      shown={{ connectionId: id, card, shownAt: null }}
      answer={(action) => askConnection({ id, verb: "recover", json: { action } })}
    />
  );
}

type AnswerableProps = {
  readonly shown: ShownCard;
  readonly answer: (action: string) => ReturnType<typeof askConnection>;
};

function Answerable({ shown, answer }: AnswerableProps): ReactNode {
  const nowMs = useNow(1000);
  const isOffline = useConnection((state) => state.state === "offline");
  const { asked, choose } = useChoice(async (action: string) => {
    const label = shown.card.ctas.find((cta) => cta.action === action)?.label ?? action;
    const answered = await answer(action);
    if (answered.ok) announce(said.answered(label));
    else toast(answered.error.message || said.offline, { tone: "wrong" });
  });
  const place = isLoopback(location.hostname) ? "same_machine" : "elsewhere";
  return <ConnectionCardView shown={shown} nowMs={nowMs} answering={{ asked, isOffline, choose }} place={place} />;
}
