import { OctagonX, Search, Settings } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Sheet } from "../parts/sheet.tsx";
import { closeSheet, openSheet } from "../ui-state.ts";
import { stopEverything } from "../work/stop/stop-everything.ts";
import { words } from "../words.ts";
import styles from "./more.module.css";
import { isAt, UNDER_MORE } from "./surfaces.ts";

/** At once: from anywhere this is the second tap. */
function stop(): void {
  closeSheet();
  void stopEverything();
}

/** The phone's other surfaces. */
export function MoreSheet(): ReactNode {
  const [path] = useLocation();
  return (
    <Sheet title={words.more.title} onClose={closeSheet}>
      <nav aria-label={words.more.title}>
        <ul className={styles["list"]}>
          {UNDER_MORE.map(({ path: to, name, icon: Icon }) => (
            <li key={to}>
              <Link
                href={to}
                className={styles["item"]}
                aria-current={isAt(path, to) ? "page" : undefined}
                onClick={closeSheet}
              >
                <Icon size={20} aria-hidden /> {name}
              </Link>
            </li>
          ))}
          <li>
            <button type="button" className={styles["item"]} onClick={() => openSheet({ kind: "palette" })}>
              <Search size={20} aria-hidden /> {words.surfaces.search}
            </button>
          </li>
          <li>
            <Link
              href="/settings"
              className={styles["item"]}
              aria-current={path === "/settings" ? "page" : undefined}
              onClick={closeSheet}
            >
              <Settings size={20} aria-hidden /> {words.surfaces.settings}
            </Link>
          </li>
          <li>
            <button type="button" className={styles["item"]} onClick={stop}>
              <OctagonX size={20} aria-hidden /> {words.work.stopAll}
            </button>
          </li>
        </ul>
      </nav>
    </Sheet>
  );
}
