import { History } from "lucide-react";
import { useState, type ReactNode } from "react";
import { HOLD_CHOICE, HOLD_MEANING, holdSentence, type HoldBody } from "#model";
import { Button } from "../../parts/button.tsx";
import { Command } from "../../parts/command.tsx";
import { useFocusAfterGoing } from "../../parts/focus-page.ts";
import { invalidateReview } from "../../review/review-reads.ts";
import { acceptHold, useDeviceKey } from "../../trust/index.ts";
import { announce, toast } from "../../ui-state.ts";
import { useConnection } from "../../wire/connection.ts";
import { holdWords } from "../../words/hold-words.ts";
import styles from "./hold.module.css";

/** On every surface while Silas is read-only: what happened, what it means, and the two ways on. */
export function HoldCard({ hold }: { readonly hold: HoldBody }): ReactNode {
  const [step, setStep] = useState<"shown" | "asked" | "sent">("shown");
  const isOffline = useConnection((state) => state.state === "offline");
  const { device } = useDeviceKey();
  const focusAfterGoing = useFocusAfterGoing();
  const accept = async (): Promise<void> => {
    setStep("sent");
    focusAfterGoing();
    const accepted = await acceptHold(hold);
    if (accepted.ok) announce(holdWords.accepted);
    else toast("message" in accepted.error ? accepted.error.message : holdWords.failed, { tone: "wrong" });
    setStep("shown");
    await invalidateReview();
  };
  return (
    <section className={styles["card"]} role="alert" data-testid="hold">
      <p>
        <History size={20} aria-hidden /> <strong>{holdSentence(hold)}</strong>
      </p>
      <p>{HOLD_MEANING}</p>
      <p>{HOLD_CHOICE}</p>
      <p>{holdWords.restore}</p>
      <Command text={holdWords.restoreCommand} />
      {device !== null && device.state.kind !== "enrolled" && (
        <>
          <p>{holdWords.noKey}</p>
          <Command text={holdWords.acceptCommand} />
        </>
      )}
      {device?.state.kind === "enrolled" && (
        <Button
          aria-busy={step === "sent"}
          disabled={isOffline}
          onClick={() => {
            if (step === "shown") setStep("asked");
            if (step === "asked") void accept();
          }}
        >
          {step === "shown" ? holdWords.accept : step === "asked" ? holdWords.ask : holdWords.accepting}
        </Button>
      )}
    </section>
  );
}
