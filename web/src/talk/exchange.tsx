import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { turnEndWords, type KeptMessageBody, type ToldTurnBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Line, Paragraphs } from "../parts/text.tsx";
import { useConnection } from "../wire/connection.ts";
import { talkWords } from "../words/talk-words.ts";
import { useLiveTurns } from "./live-turns.ts";
import { sameAgain, sendMessage } from "./talk-acts.ts";
import { isOpen } from "./talk-reads.ts";
import styles from "./talk.module.css";
import { useReadOut } from "./use-read-out.ts";

type ExchangeProps = { readonly message: KeptMessageBody; readonly turn: ToldTurnBody | null };

/** One message and its answer. Both are text and nothing else, whoever wrote them. */
export function Exchange({ message, turn }: ExchangeProps): ReactNode {
  const isOwn = message.taint !== "external";
  return (
    <li className={styles["exchange"]} data-message={message.message_id}>
      <section className={styles["said"]} aria-label={isOwn ? talkWords.you : talkWords.other}>
        {message.text !== "" && <Paragraphs text={message.text} className={styles["words"]} />}
        {message.state === "received" && <p className={styles["note"]}>{talkWords.unjudged}</p>}
        {message.state === "accepted" && message.gate?.told !== undefined && (
          <p className={styles["note"]}>
            <Line text={message.gate.told} />
          </p>
        )}
        {message.state === "blocked" && (
          <p className={styles["note"]}>{talkWords.blocked(message.gate?.name ?? "gate")}</p>
        )}
        {message.state === "waiting" && <p className={styles["note"]}>{talkWords.waiting}</p>}
      </section>
      {turn !== null && <Answer turn={turn} message={message} />}
    </li>
  );
}

/** The stored reply, or what there is of it while it is written: the same element, so that nothing flickers in between. */
function Answer({ turn, message }: { readonly turn: ToldTurnBody; readonly message: KeptMessageBody }): ReactNode {
  const live = useLiveTurns((turns) => turns[turn.message_id]);
  const isWriting = isOpen(turn);
  const reply = isWriting ? (live?.text ?? "") : (turn.reply ?? "");
  const end = turnEndWords(turn);
  useReadOut({ text: reply, isOpen: isWriting, end });
  return (
    <section className={styles["answer"]} aria-label={talkWords.silas} aria-busy={isWriting} data-state={turn.state}>
      {isWriting && reply === "" && <p role="status">{statusWords(turn, live?.isHeld === true)}</p>}
      {reply !== "" && <Paragraphs text={reply} className={styles["words"]} />}
      {end !== null && <p className={reply === "" ? undefined : styles["note"]}>{end}</p>}
      {turn.failure === "turn_interrupted" && <Retry message={message} />}
      {turn.plan?.request_id != null && (
        <p>
          <Link href={`/review/${turn.plan.request_id}`} className={styles["stub"]}>
            {talkWords.decision}
          </Link>
        </p>
      )}
      {turn.plan?.refused != null && (
        <p className={styles["note"]}>
          <Line text={talkWords.planRefused(turn.plan.refused)} />
        </p>
      )}
      {turn.left_out.map((part) => (
        <p key={part} className={styles["note"]}>
          <Line text={talkWords.leftOut(part)} />
        </p>
      ))}
      {turn.reply !== null && turn.taint === "external" && <p className={styles["note"]}>{talkWords.external}</p>}
    </section>
  );
}

function statusWords({ state }: ToldTurnBody, isHeld: boolean): string {
  if (isHeld) return talkWords.checking;
  return state === "waiting" ? talkWords.queued : talkWords.thinking;
}

/** A lost answer is asked for again only by the person who wants it. */
function Retry({ message }: { readonly message: KeptMessageBody }): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const isOffline = useConnection((state) => state.state === "offline");
  const retry = async (): Promise<void> => {
    setBusy(true);
    await sendMessage(sameAgain(message));
    setBusy(false);
  };
  return (
    <p>
      <Button disabled={isBusy || isOffline} onClick={() => void retry()}>
        {talkWords.retry}
      </Button>
    </p>
  );
}
