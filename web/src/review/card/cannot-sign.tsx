import { KeyRound } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import buttons from "../../parts/button.module.css";
import { classes } from "../../parts/classes.ts";
import type { Device } from "../../trust/index.ts";
import { words } from "../../words.ts";
import styles from "./card.module.css";

/** Without a key of its own this browser approves nothing; declining needs none. */
export function CannotSign({ device }: { readonly device: Device }): ReactNode {
  const { kind } = device.state;
  return (
    <section className={styles["noKey"]} data-testid="cannot-sign" data-device={kind}>
      <h3>
        <KeyRound size={18} aria-hidden /> {words.ladder.noKey}
      </h3>
      <p>{kind === "unsupported" ? words.ladder.noKeyEver : words.ladder.noKeyBody}</p>
      {kind !== "unsupported" && (
        <Link href="/settings#signing" className={classes(buttons["button"], buttons["main"])}>
          {words.ladder.enrol}
        </Link>
      )}
    </section>
  );
}
