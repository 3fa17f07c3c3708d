import { Search, Settings } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { IconButton } from "../parts/button.tsx";
import { openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import { Mark } from "./mark.tsx";
import { ModeChip } from "./mode-chip.tsx";
import { TimerChip } from "./timer-chip.tsx";
import styles from "./top-bar.module.css";

/** The phone's head: what answers, what runs, search and settings. */
export function TopBar(): ReactNode {
  return (
    <header className={styles["bar"]}>
      <Link href="/" className={styles["brand"]} aria-label={words.product}>
        <Mark size={26} />
      </Link>
      <ModeChip />
      <div className={styles["middle"]}>
        <TimerChip place="bar" />
      </div>
      <IconButton label={words.surfaces.search} onClick={() => openSheet({ kind: "palette" })}>
        <Search size={20} aria-hidden />
      </IconButton>
      <Link href="/settings" className={styles["settings"]} aria-label={words.surfaces.settings}>
        <Settings size={20} aria-hidden />
      </Link>
    </header>
  );
}
