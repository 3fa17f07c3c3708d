import { lazy, Suspense, type ReactNode } from "react";
import { Capture } from "../capture/capture.tsx";
import { usePreferences } from "../preferences.ts";
import { Sheet } from "../parts/sheet.tsx";
import { closeSheet, useUi } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./sheets.module.css";

const Palette = lazy(() => import("../palette/palette.tsx").then((room) => ({ default: room.Palette })));
const Categories = lazy(() => import("../tasks/categories.tsx").then((room) => ({ default: room.Categories })));
const MoreSheet = lazy(() => import("./more.tsx").then((room) => ({ default: room.MoreSheet })));
const WaitingSheet = lazy(() => import("./waiting.tsx").then((room) => ({ default: room.WaitingSheet })));
const StopSheet = lazy(() => import("../work/stop/stop-sheet.tsx").then((room) => ({ default: room.StopSheet })));

/** Whichever sheet is open; one at a time. */
export function Sheets({ onRetry }: { readonly onRetry: () => void }): ReactNode {
  const sheet = useUi((state) => state.sheet);
  if (sheet.kind === "none") return null;
  if (sheet.kind === "capture") return <Capture as={sheet.as} />;
  if (sheet.kind === "shortcuts") return <Shortcuts />;
  return (
    <Suspense fallback={null}>
      {sheet.kind === "palette" && <Palette />}
      {sheet.kind === "more" && <MoreSheet />}
      {sheet.kind === "waiting" && <WaitingSheet onRetry={onRetry} />}
      {sheet.kind === "categories" && <Categories />}
      {sheet.kind === "stop" && <StopSheet />}
    </Suspense>
  );
}

function Shortcuts(): ReactNode {
  const singleKeys = usePreferences((state) => state.singleKeys);
  return (
    <Sheet title={words.shortcuts.heading} onClose={closeSheet} wide="wide">
      {singleKeys === "off" && <p className={styles["off"]}>{words.shortcuts.off}</p>}
      <div className={styles["groups"]}>
        {words.shortcuts.groups.map(({ name, rows }) => (
          <section key={name} className={styles["group"]} aria-label={name}>
            <h3>{name}</h3>
            <dl className={styles["keys"]}>
              {rows.map(([keys, what]) => (
                <div key={keys}>
                  <dt>
                    <kbd>{keys}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Sheet>
  );
}
