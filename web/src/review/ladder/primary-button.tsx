import type { ReactNode } from "react";
import type { Friction } from "#model";
import { Button } from "../../parts/button.tsx";
import styles from "./ladder.module.css";

export type Approving = {
  /** What the choice does, as the card says it. */
  readonly label: string;
  readonly intent: string;
  /** Set where nothing can be decided just now; the sentence that says why has this id. */
  readonly blockedBy: string | null;
  /** What the person did, in order. */
  readonly onApprove: (friction: readonly Friction[]) => void;
  /** For a second way to approve, beside the recommended one. */
  readonly rank?: "further";
};

type PrimaryProps = {
  readonly children: ReactNode;
  readonly blockedBy: string | null;
  readonly onPress: () => void;
  readonly rank?: Approving["rank"];
};

/** The recommended choice; `Enter` in the queue comes to it and does not press it. */
export function PrimaryButton({ children, blockedBy, onPress, rank }: PrimaryProps): ReactNode {
  return (
    <Button
      tone={rank === "further" ? "plain" : "main"}
      className={styles["primary"]}
      data-primary={rank === "further" ? undefined : ""}
      disabled={blockedBy !== null}
      aria-describedby={blockedBy ?? undefined}
      onKeyDown={refuseRepeat}
      onClick={onPress}
    >
      {children}
    </Button>
  );
}

/** A key that is held down presses once: two steps are two presses. */
export function refuseRepeat(event: { readonly repeat: boolean; preventDefault(): void }): void {
  if (event.repeat) event.preventDefault();
}
