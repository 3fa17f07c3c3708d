import { useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { words } from "../../words.ts";
import { PrimaryButton, refuseRepeat, type Approving } from "./primary-button.tsx";
import { TwoPlaces } from "./confirm-chip.tsx";
import styles from "./ladder.module.css";
import { Slider } from "./slider.tsx";

type Step = "closed" | "slide" | "buttons" | "armed";

/** High risk: after the tap, a slide to the end; for whoever cannot drag, two buttons at two places. [SC 2.5.7] */
export function SlideStep({ label, intent, blockedBy, onApprove, rank }: Approving): ReactNode {
  const [step, setStep] = useState<Step>("closed");
  const done = (): void => onApprove(["tap", "slide"]);
  if (step === "closed") {
    return (
      <PrimaryButton rank={rank} blockedBy={blockedBy} onPress={() => setStep("slide")}>
        {label}
      </PrimaryButton>
    );
  }
  return (
    <div className={styles["slideStep"]}>
      {step === "slide" ? (
        <Slider intent={intent} blockedBy={blockedBy} onDone={done} onLeave={() => setStep("closed")} />
      ) : (
        <TwoPlaces
          isArmed={step === "armed"}
          confirm={words.ladder.confirm(label)}
          waiting={words.ladder.armed}
          blockedBy={blockedBy}
          onBack={() => setStep("buttons")}
          onConfirm={done}
        >
          <ArmButton label={label} blockedBy={blockedBy} onPress={() => setStep("armed")} />
        </TwoPlaces>
      )}
      <Button tone="quiet" onClick={() => setStep(step === "slide" ? "buttons" : "slide")}>
        {step === "slide" ? words.ladder.buttonsInstead : words.ladder.slideInstead}
      </Button>
    </div>
  );
}

type ArmProps = Pick<Approving, "label" | "blockedBy"> & { readonly onPress: () => void };

function ArmButton({ label, blockedBy, onPress }: ArmProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <Button
      ref={button}
      className={styles["primary"]}
      disabled={blockedBy !== null}
      aria-label={words.ladder.armFor(label)}
      onKeyDown={refuseRepeat}
      onClick={onPress}
    >
      {words.ladder.arm}
    </Button>
  );
}
