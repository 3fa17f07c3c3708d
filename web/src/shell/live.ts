import type { JournalQuery, TurnNews } from "#model";
import { invalidateActivity } from "../activity/activity-reads.ts";
import { flush, isOwnEcho, onApplied, refreshOutbox } from "../data/outbox.ts";
import { invalidateJournal, warm } from "../data/reads.ts";
import { comingUp } from "../home/coming-up.ts";
import { JOURNAL_FIRST_PAGE } from "../journal/first-page.ts";
import { invalidateReview } from "../review/review-reads.ts";
import { dropTurns, hearTurn } from "../talk/live-turns.ts";
import { invalidateTalk } from "../talk/talk-reads.ts";
import { today } from "../time/clock.ts";
import { invalidateRun } from "../work/work-reads.ts";
import { openSocket, type LiveSocket } from "../wire/socket.ts";
import { onceLater } from "./once-later.ts";

/** Several changes in a row are read once. */
const COALESCE_MS = 40;
/** Many proposals at once are one reading of the list. */
const REVIEW_COALESCE_MS = 200;
/** Changes without end are read this often: the server would rather refuse a page than be read by it all the time. */
const REVIEW_GAP_MS = 1500;
/** A change this page has just made itself was read already; it is read again only in case another one came with it. */
const ECHO_MS = 2000;

/**
 * Keeps the page in step with the server until it is closed: sends what waits when the server is back, reads again when
 * something changed.
 */
export function startLive(): LiveSocket {
  const journal = onceLater(() => void refreshOutbox().then(invalidateJournal), 0);
  const review = onceLater(() => void Promise.all([invalidateReview(), invalidateActivity()]), REVIEW_GAP_MS);
  onApplied(invalidateJournal);
  const live = openSocket({
    onReady: () => {
      dropTurns();
      void catchUp();
    },
    onChange: (batch) => journal.within(isOwnEcho(batch) ? ECHO_MS : COALESCE_MS),
    onReview: () => review.within(REVIEW_COALESCE_MS),
    onRun: (runId) => void invalidateRun(runId),
    onTurn: followTurn,
  });
  return {
    retryNow: live.retryNow,
    close: () => {
      journal.cancel();
      review.cancel();
      live.close();
    },
  };
}

/** The stored turn is read as soon as there is one, and not with the next reading of Review. */
function followTurn(news: TurnNews): void {
  hearTurn(news);
  if (news.kind === "ended") void invalidateTalk();
}

async function catchUp(): Promise<void> {
  await flush();
  await Promise.all([invalidateJournal(), invalidateReview()]);
  warm(offlineReads());
}

/** What should be readable on a train, whatever surface was open last. */
function offlineReads(): readonly JournalQuery[] {
  const day = today();
  return [
    { kind: "tasks", view: "open", today: day, limit: 200 },
    { kind: "tasks", view: "today", today: day, limit: 200 },
    comingUp(day),
    { kind: "counts", today: day },
    { kind: "categories" },
    { kind: "labels" },
    { kind: "timer" },
    { kind: "day", date: day },
    JOURNAL_FIRST_PAGE,
  ];
}
