import { CalendarDays, ListPlus, PenLine } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./home.module.css";

/** Three ways to begin; each does what it says. */
export function StartChips(): ReactNode {
  return (
    <div className={styles["chips"]}>
      <button type="button" className={styles["chip"]} onClick={() => openSheet({ kind: "capture", as: "task" })}>
        <ListPlus size={18} aria-hidden /> {words.home.chips.task}
      </button>
      <Link href="/day" className={styles["chip"]}>
        <CalendarDays size={18} aria-hidden /> {words.home.chips.plan}
      </Link>
      <button type="button" className={styles["chip"]} onClick={() => openSheet({ kind: "capture", as: "note" })}>
        <PenLine size={18} aria-hidden /> {words.home.chips.note}
      </button>
    </div>
  );
}
