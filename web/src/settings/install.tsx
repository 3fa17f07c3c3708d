import { useState, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { words } from "../words.ts";
import { useInstallOffer } from "./install-offer.ts";
import styles from "./settings.module.css";

/** Offers installation where the browser does, and says plainly where it does not. */
export function Install(): ReactNode {
  const offer = useInstallOffer((state) => state.offer);
  const [isDone, setDone] = useState(() => matchMedia("(display-mode: standalone)").matches);
  const install = async (): Promise<void> => {
    await offer?.prompt();
    const choice = await offer?.userChoice;
    setDone(choice?.outcome === "accepted");
  };
  return (
    <section className={styles["card"]}>
      <h2>{words.settings.install}</h2>
      <div className={styles["pair"]}>
        <p className={styles["hint"]}>
          {isDone
            ? words.settings.installed
            : offer === null
              ? words.settings.installElsewhere
              : words.settings.installHint}
        </p>
        {offer !== null && !isDone && (
          <Button size="small" onClick={() => void install()}>
            {words.settings.install}
          </Button>
        )}
      </div>
    </section>
  );
}
