import { Undo2 } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { isAsApproved, type UndoBody, type WorkDetailBody } from "#model";
import { Button } from "../../parts/button.tsx";
import { useFocusAfterGoing } from "../../parts/focus-page.ts";
import { Line } from "../../parts/text.tsx";
import { invalidateReview } from "../../review/review-reads.ts";
import { useNow } from "../../time/clock.ts";
import { countdown } from "../../time/format.ts";
import { announce, toast } from "../../ui-state.ts";
import { useConnection } from "../../wire/connection.ts";
import { send } from "../../wire/http.ts";
import { runPageWords } from "../../words/run-page-words.ts";
import { words } from "../../words.ts";
import { isOver, useWork } from "../work-reads.ts";
import styles from "./after.module.css";

type UndoProps = { readonly detail: WorkDetailBody; readonly undo: UndoBody };
const { after } = runPageWords;

/** What became of each item of a batch, and the way back as long as the server says there is one. [UNDO-03] */
export function UndoPart({ detail, undo }: UndoProps): ReactNode {
  const isGoing = useWork().some((one) => one.run.run_id === undo.run_id && !isOver(one));
  return (
    <div className={styles["undo"]} data-testid="undo" data-undo={undo.state}>
      {isGoing ? (
        <p className={styles["count"]} role="status">
          {after.undoing}
        </p>
      ) : (
        <Items items={undo.items} way={isWayBack({ detail, undo }) ? "back" : "there"} />
      )}
      {undo.state === "open" && <UndoButton detail={detail} undo={undo} />}
      {undo.state === "used" && undo.run_id !== null && (
        <Link href={`/work/${undo.run_id}`} className={styles["link"]}>
          {after.showBack}
        </Link>
      )}
      {undo.state === "over" && <Closed detail={detail} />}
    </div>
  );
}

/** The items are those of the taking back once there is one; a run with nothing to take back and tries is one itself. */
const isWayBack = ({ detail, undo }: UndoProps): boolean =>
  undo.state === "used" || (undo.state === "none" && detail.run.attempts > 0);

type ItemsProps = Pick<UndoBody, "items"> & { readonly way: "there" | "back" };

function Items({ items, way }: ItemsProps): ReactNode {
  const left = items.filter(({ outcome }) => !isAsApproved(outcome));
  const done = items.length - left.length;
  if (items.length === 0) return null;
  return (
    <>
      <p className={styles["count"]} data-testid="items-done">
        {way === "back" ? after.putBack(done, items.length) : after.moved(done, items.length)}
      </p>
      {left.length > 0 && <Left items={left} title={way === "back" ? after.notBack : after.notAsApproved} />}
    </>
  );
}

type LeftProps = { readonly items: UndoBody["items"]; readonly title: string };

/** What was not done is said item by item, never as a number alone. */
function Left({ items, title }: LeftProps): ReactNode {
  return (
    <details className={styles["left"]} open data-testid="left-alone">
      <summary>
        {title} <span className="mono">{items.length}</span>
      </summary>
      <ul>
        {items.map(({ item_id: id, title: name, outcome }) => (
          <li key={id}>
            <Line text={name} />: {runPageWords.outcomes[outcome]}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** One tap. The time left is for the eye; whether it is over, the server says. */
function UndoButton({ detail: { run, title }, undo: { until } }: UndoProps): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const isOffline = useConnection((state) => state.state === "offline");
  const seconds = useSecondsTo(until);
  const focusAfterGoing = useFocusAfterGoing();
  const undoIt = async (): Promise<void> => {
    setIsAsked(true);
    focusAfterGoing();
    const answer = await send(`/api/work/${encodeURIComponent(run.run_id)}/undo`, { method: "POST", json: {} });
    if (answer.ok) announce(words.work.said(title, after.undoing));
    else {
      setIsAsked(false);
      toast(answer.error.message || words.connection.offline, { tone: "wrong" });
    }
    await invalidateReview();
  };
  return (
    <div className={styles["act"]}>
      <Button
        tone="main"
        data-testid="undo-button"
        aria-label={isAsked ? after.undoing : after.undoOf(title)}
        aria-busy={isAsked}
        disabled={isOffline}
        onClick={() => {
          if (!isAsked) void undoIt();
        }}
      >
        <Undo2 size={18} aria-hidden /> {isAsked ? after.undoing : after.undo}
      </Button>
      {seconds !== null && (
        <span className={styles["time"]} data-testid="undo-left">
          {seconds > 0 ? after.left(countdown(seconds)) : after.closing}
        </span>
      )}
    </div>
  );
}

/** Afterwards the way back is a batch of its own, with an approval of its own. [UNDO-04] */
function Closed({ detail: { run } }: Pick<UndoProps, "detail">): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const isOffline = useConnection((state) => state.state === "offline");
  const [, navigate] = useLocation();
  const propose = async (): Promise<void> => {
    setIsAsked(true);
    const address = `/api/work/${encodeURIComponent(run.run_id)}/undo/propose`;
    const answer = await send<{ readonly request: { readonly request_id: string } }>(address, {
      method: "POST",
      json: {},
    });
    await invalidateReview();
    if (answer.ok) return navigate(`/review/${answer.value.request.request_id}`);
    setIsAsked(false);
    toast(answer.error.message || words.connection.offline, { tone: "wrong" });
  };
  return (
    <div className={styles["closed"]}>
      <p>
        <strong>{after.closed}.</strong> {after.closedBody}
      </p>
      <Button
        aria-busy={isAsked}
        disabled={isOffline}
        onClick={() => {
          if (!isAsked) void propose();
        }}
      >
        {after.reverse}
      </Button>
    </div>
  );
}

/** Past the end, so that the server's clock has passed it too; asked again until it has. */
const AFTER_MS = 1500;

function useSecondsTo(until: string | null): number | null {
  const now = useNow(1000);
  const seconds = until === null ? null : Math.ceil((Date.parse(until) - now) / 1000);
  const isDue = seconds !== null && seconds <= 0;
  useEffect(() => {
    if (!isDue) return undefined;
    const timer = setInterval(() => void invalidateReview(), AFTER_MS);
    return () => clearInterval(timer);
  }, [isDue]);
  return seconds;
}
