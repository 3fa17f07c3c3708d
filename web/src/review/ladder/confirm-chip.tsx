import { useEffect, useRef, useState, type ReactNode } from "react";
import { words } from "../../words.ts";
import { PrimaryButton, refuseRepeat, type Approving } from "./primary-button.tsx";
import styles from "./ladder.module.css";
import { useStepBack } from "./use-step-back.ts";

/** Medium risk: the choice becomes a chip at another place of the card, so that a double tap decides nothing. */
export function ConfirmChip({ label, blockedBy, onApprove, rank }: Approving): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <TwoPlaces
      isArmed={isAsked}
      confirm={`${label}?`}
      waiting={words.ladder.confirmWait}
      blockedBy={blockedBy}
      onBack={() => setIsAsked(false)}
      onConfirm={() => onApprove(["tap", "confirm"])}
    >
      <PrimaryButton rank={rank} blockedBy={blockedBy} onPress={() => setIsAsked(true)}>
        {label}
      </PrimaryButton>
    </TwoPlaces>
  );
}

type TwoPlacesProps = {
  readonly isArmed: boolean;
  readonly confirm: string;
  /** Stands where the first press was, and cannot be pressed. */
  readonly waiting: string;
  readonly blockedBy: string | null;
  readonly onBack: () => void;
  readonly onConfirm: () => void;
  readonly children: ReactNode;
};

/** A first press here, the second above everything that can be pressed first. */
export function TwoPlaces(props: TwoPlacesProps): ReactNode {
  const { isArmed, confirm, waiting, blockedBy, onBack, onConfirm, children } = props;
  const chip = useRef<HTMLButtonElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const wasArmed = useRef(false);
  useStepBack(chip, isArmed ? onBack : null);
  useEffect(() => {
    if (isArmed) chip.current?.focus();
    else if (wasArmed.current && document.activeElement === document.body) {
      place.current?.querySelector<HTMLElement>("button")?.focus();
    }
    wasArmed.current = isArmed;
  }, [isArmed]);
  if (!isArmed) return <div ref={place}>{children}</div>;
  return (
    <div>
      <button
        ref={chip}
        type="button"
        className={styles["chip"]}
        data-testid="confirm"
        disabled={blockedBy !== null}
        onKeyDown={refuseRepeat}
        onClick={onConfirm}
      >
        {confirm}
      </button>
      <p className={styles["waiting"]} role="status">
        {waiting}
      </p>
    </div>
  );
}
