import type { ReactNode } from "react";
import { Link } from "wouter";
import { turnFailureWords, type KeptMessageBody, type ToldTurnBody } from "#model";
import { Line, Paragraphs } from "../parts/text.tsx";
import { talkWords } from "../words/talk-words.ts";
import { isOpen } from "./talk-reads.ts";
import styles from "./talk.module.css";

type ExchangeProps = { readonly message: KeptMessageBody; readonly turn: ToldTurnBody | null };

/** One message and its answer. Both are text and nothing else, whoever wrote them. */
export function Exchange({ message, turn }: ExchangeProps): ReactNode {
  const isOwn = message.taint !== "external";
  return (
    <li className={styles["exchange"]} data-message={message.message_id}>
      <section className={styles["said"]} aria-label={isOwn ? talkWords.you : talkWords.other}>
        <Paragraphs text={message.text} className={styles["words"]} />
        {message.state === "blocked" && (
          <p className={styles["note"]}>{talkWords.blocked(message.gate?.name ?? "gate")}</p>
        )}
        {message.state === "waiting" && <p className={styles["note"]}>{talkWords.waiting}</p>}
      </section>
      {turn !== null && <Answer turn={turn} />}
    </li>
  );
}

function Answer({ turn }: { readonly turn: ToldTurnBody }): ReactNode {
  return (
    <section className={styles["answer"]} aria-label={talkWords.silas} aria-busy={isOpen(turn)} data-state={turn.state}>
      {isOpen(turn) && <p role="status">{turn.state === "waiting" ? talkWords.queued : talkWords.thinking}</p>}
      {turn.failure !== null && <p>{talkWords.noAnswer(turnFailureWords(turn.failure))}</p>}
      {turn.reply !== null && <Paragraphs text={turn.reply} className={styles["words"]} />}
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
