import { useOutbox } from "../data/outbox.ts";
import { Toasts } from "../parts/toasts.tsx";
import { useUi } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { words } from "../words.ts";
import { lazy, Suspense, useEffect, type ReactNode } from "react";
import { useLocation, useSearchParams } from "wouter";
import { useAppBadge } from "../review/badge.tsx";
import { useWaiting } from "../review/waiting.ts";
import { openSheet } from "../ui-state.ts";
import { useHold, useStopped } from "../work/work-reads.ts";
import { Rail } from "./rail.tsx";
import { StatusStrip } from "./status-strip.tsx";
import { hasRoomForReview, useWindowWidth } from "./room-for-review.ts";
import { Tabs } from "./tabs.tsx";
import { TopBar } from "./top-bar.tsx";
import { useKeys } from "./use-keys.ts";
import styles from "./shell.module.css";

const ReviewColumn = lazy(() => import("../review/review-column.tsx").then((room) => ({ default: room.ReviewColumn })));
const StoppedBanner = lazy(() =>
  import("../work/stop/stopped-banner.tsx").then((room) => ({ default: room.StoppedBanner })),
);

const HoldCard = lazy(() => import("../work/hold/hold-card.tsx").then((room) => ({ default: room.HoldCard })));

type ShellProps = { readonly children: ReactNode; readonly onRetry: () => void };

export function Shell({ children, onRetry }: ShellProps): ReactNode {
  useKeys();
  useCaptureShortcut();
  useAppBadge();
  const hasColumn = useColumn();
  const stopped = useStopped();
  const hold = useHold();
  const connection = useConnection((state) => state.state);
  const unsent = useOutbox((state) => state.rows.filter((row) => row.refusal === null).length);
  return (
    <div
      className={styles["shell"]}
      data-connection={connection}
      data-unsent={unsent}
      data-column={hasColumn ? "review" : "none"}
    >
      <a className={styles["skip"]} href="#content">
        {words.skip}
      </a>
      <TopBar />
      <Rail />
      <main id="content" className={styles["content"]} tabIndex={-1}>
        {hold !== null && (
          <Suspense fallback={null}>
            <HoldCard hold={hold} />
          </Suspense>
        )}
        {stopped !== null && (
          <Suspense fallback={null}>
            <StoppedBanner stopped={stopped} />
          </Suspense>
        )}
        {children}
      </main>
      {hasColumn && (
        <Suspense fallback={null}>
          <ReviewColumn />
        </Suspense>
      )}
      <StatusStrip onRetry={onRetry} />
      <Tabs />
      <Toasts />
      <Announcer />
    </div>
  );
}

/** Whether Review stands beside what is open: where there is room, and a request waits; it has a card for nothing else. */
function useColumn(): boolean {
  const [path] = useLocation();
  const widthPx = useWindowWidth();
  return useWaiting().requests.length > 0 && hasRoomForReview({ path, widthPx });
}

function Announcer(): ReactNode {
  const announcement = useUi((state) => state.announcement);
  return (
    <p className="hidden-visually" aria-live="polite" data-testid="announcer">
      {announcement}
    </p>
  );
}

/** The installed page's own shortcut opens the capture sheet at once. */
function useCaptureShortcut(): void {
  const [search, setSearch] = useSearchParams();
  const asked = search.get("capture");
  useEffect(() => {
    if (asked === null) return;
    openSheet({ kind: "capture", as: asked === "note" ? "note" : "task" });
    setSearch({}, { replace: true });
  }, [asked, setSearch]);
}
