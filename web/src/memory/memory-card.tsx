import { BadgeCheck, CircleUser, Globe, ScrollText } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { oneLine, type Instant } from "#base";
import { memoryTrustWords, type MemoryItemBody, type ShownRequestBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Paragraphs } from "../parts/text.tsx";
import { invalidateReview } from "../review/review-reads.ts";
import { dateTime } from "../time/format.ts";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";
import { memoryWords } from "../words/memory-words.ts";
import { words } from "../words.ts";
import styles from "./memory.module.css";

type Shown = { readonly item: MemoryItemBody };

/** One memory whole, with where it came from in words and not in colour alone. */
export function MemoryCard({ item }: Shown): ReactNode {
  const { memory_id: id, trust_level: trust, taint, content } = item;
  return (
    <article className={styles["card"]} data-memory={id} data-trust={trust} data-taint={taint}>
      <Paragraphs text={content} className={styles["words"]} />
      <div className={styles["facts"]}>
        <span className={styles["trust"]}>
          <TrustIcon item={item} /> {memoryTrustWords({ trustLevel: trust, taint })}
        </span>
        <span>{memoryWords.type[item.memory_type]}</span>
        {item.semantic_tags.map((tag) => (
          <span key={tag}>#{oneLine(tag)}</span>
        ))}
        <span>{memoryWords.when(dateTime(item.updated_at as Instant))}</span>
      </div>
      {trust === "constitutional" ? <p>{memoryWords.rule}</p> : <Controls item={item} />}
    </article>
  );
}

function TrustIcon({ item: { trust_level: trust, taint } }: Shown): ReactNode {
  if (trust === "constitutional") return <ScrollText size={16} aria-hidden />;
  if (trust === "verified") return <BadgeCheck size={16} aria-hidden />;
  return taint === "external" ? <Globe size={16} aria-hidden /> : <CircleUser size={16} aria-hidden />;
}

/** Verifying only asks: the decision is signed in Review. Forgetting asks here, since nothing brings it back. */
function Controls({ item }: Shown): ReactNode {
  const { memory_id: id, content, trust_level: trust } = item;
  const [isSure, setSure] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const isOffline = useConnection((state) => state.state === "offline");
  const ask = async <T,>(act: "promote" | "forget", done: (answer: T) => void): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    const answer = await send<T>(`/api/memory/${encodeURIComponent(id)}/${act}`, { method: "POST", json: {} });
    if (answer.ok) done(answer.value);
    else toast(answer.error.message || words.connection.offline, { tone: "wrong" });
    setBusy(false);
    await invalidateReview();
  };
  const promote = () =>
    ask<{ readonly request: Pick<ShownRequestBody, "request_id"> }>("promote", ({ request }) => {
      announce(memoryWords.asked);
      navigate(`/review/${encodeURIComponent(request.request_id)}`);
    });
  const forget = () => ask("forget", () => announce(memoryWords.forgotten));
  const name = oneLine(content).slice(0, 60);
  if (isSure)
    return (
      <div className={styles["controls"]} aria-busy={isBusy}>
        <p role="alert">{memoryWords.sure}</p>
        <Button tone="danger" disabled={isOffline} onClick={() => void forget()}>
          {memoryWords.forgetNow}
        </Button>
        <Button onClick={() => setSure(false)}>{memoryWords.keep}</Button>
      </div>
    );
  return (
    <div className={styles["controls"]} aria-busy={isBusy}>
      {trust === "working" && (
        <Button aria-label={memoryWords.verifyOf(name)} disabled={isOffline} onClick={() => void promote()}>
          {memoryWords.verify}
        </Button>
      )}
      <Button tone="quiet" aria-label={memoryWords.forgetOf(name)} disabled={isOffline} onClick={() => setSure(true)}>
        {memoryWords.forget}
      </Button>
    </div>
  );
}
