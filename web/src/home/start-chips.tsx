import { CalendarDays, ListPlus, PenLine, Scale } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./home.module.css";

/** Ways to begin; each does what it says. Before anything was written, one of them leads to what a decision is like. */
export function StartChips({ isFirst }: { readonly isFirst: boolean }): ReactNode {
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
      {isFirst && (
        <Link href="/review" className={styles["chip"]}>
          <Scale size={18} aria-hidden /> {words.home.chips.review}
        </Link>
      )}
    </div>
  );
}
