import type { ReactNode } from "react";
import styles from "./task-detail.module.css";

type SectionProps = { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode };

export function Section({ title, aside, children }: SectionProps): ReactNode {
  return (
    <section className={styles["section"]}>
      <div className={styles["sectionHead"]}>
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
