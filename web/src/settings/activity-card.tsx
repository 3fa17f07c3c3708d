import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { words } from "../words.ts";
import styles from "./settings.module.css";

/** The phone's way to what happened; its foot has no room for another surface. */
export function ActivityCard(): ReactNode {
  return (
    <section className={styles["card"]}>
      <h2>{words.surfaces.activity}</h2>
      <p className={styles["hint"]}>{words.activity.settingsHint}</p>
      <Link href="/activity" className={styles["way"]}>
        {words.activity.open} <ChevronRight size={16} aria-hidden />
      </Link>
    </section>
  );
}
