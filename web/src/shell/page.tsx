import { useEffect, type ReactNode } from "react";
import { classes } from "../parts/classes.ts";
import { useWaiting } from "../review/waiting.ts";
import { words } from "../words.ts";
import styles from "./page.module.css";

type PageProps = {
  readonly title: string;
  readonly children: ReactNode;
  /** Beside the title. */
  readonly aside?: ReactNode;
  readonly width?: "wide" | "text";
};

/** One surface: its heading, its document title, its width. */
export function Page({ title, children, aside, width = "wide" }: PageProps): ReactNode {
  const { count: waiting } = useWaiting();
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} - ${words.product}`;
  }, [title, waiting]);
  return (
    <div className={classes(styles["page"], styles[width])}>
      <header className={styles["head"]}>
        <h1 tabIndex={-1}>{title}</h1>
        {aside}
      </header>
      {children}
    </div>
  );
}
