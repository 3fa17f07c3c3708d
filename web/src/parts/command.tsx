import type { ReactNode } from "react";
import { words } from "../words.ts";
import { CopyButton } from "./copy-button.tsx";
import styles from "./command.module.css";

/** A command for the terminal, to be read or taken along. */
export function Command({ text }: { readonly text: string }): ReactNode {
  return (
    <p className={styles["command"]}>
      <code>{text}</code>
      <CopyButton text={text} label={words.actions.copyCommand} />
    </p>
  );
}
