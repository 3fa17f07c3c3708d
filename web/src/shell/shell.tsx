import { useOutbox } from "../data/outbox.ts";
import { Toasts } from "../parts/toasts.tsx";
import { useUi } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { words } from "../words.ts";
import { useEffect, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import { openSheet } from "../ui-state.ts";
import { Rail } from "./rail.tsx";
import { StatusStrip } from "./status-strip.tsx";
import { Tabs } from "./tabs.tsx";
import { TopBar } from "./top-bar.tsx";
import { useKeys } from "./use-keys.ts";
import styles from "./shell.module.css";

type ShellProps = { readonly children: ReactNode; readonly onRetry: () => void };

export function Shell({ children, onRetry }: ShellProps): ReactNode {
  useKeys();
  useCaptureShortcut();
  const connection = useConnection((state) => state.state);
  const unsent = useOutbox((state) => state.rows.filter((row) => row.refusal === null).length);
  return (
    <div className={styles["shell"]} data-connection={connection} data-unsent={unsent}>
      <a className={styles["skip"]} href="#content">
        {words.skip}
      </a>
      <TopBar />
      <Rail />
      <main id="content" className={styles["content"]} tabIndex={-1}>
        {children}
      </main>
      <StatusStrip onRetry={onRetry} />
      <Tabs />
      <Toasts />
      <Announcer />
    </div>
  );
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
