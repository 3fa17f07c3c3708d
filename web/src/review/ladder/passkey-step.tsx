import { Fingerprint } from "lucide-react";
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { Friction } from "#model";
import { Button } from "../../parts/button.tsx";
import buttons from "../../parts/button.module.css";
import { classes } from "../../parts/classes.ts";
import { words } from "../../words.ts";
import { refuseRepeat, type Approving } from "./primary-button.tsx";
import styles from "./ladder.module.css";
import { SlideStep } from "./slide-step.tsx";

type PasskeyStepProps = Approving & { readonly hasPasskey: boolean };

/** What cannot be undone: the slide, then a passkey; without one on this device it says so and goes no lower. [RISK-02] */
export function PasskeyStep({ hasPasskey, ...approving }: PasskeyStepProps): ReactNode {
  const [slid, setSlid] = useState<readonly Friction[] | null>(null);
  if (slid === null) return <SlideStep {...approving} onApprove={setSlid} />;
  return (
    <Proof
      hasPasskey={hasPasskey}
      blockedBy={approving.blockedBy}
      onBack={() => setSlid(null)}
      onProve={() => approving.onApprove(slid)}
    />
  );
}

type ProofProps = {
  readonly hasPasskey: boolean;
  readonly blockedBy: string | null;
  readonly onBack: () => void;
  readonly onProve: () => void;
};

function Proof({ hasPasskey, blockedBy, onBack, onProve }: ProofProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={styles["proof"]} aria-labelledby={titleId} data-testid="passkey-step">
      <h3 id={titleId} ref={heading} tabIndex={-1}>
        <Fingerprint size={20} aria-hidden />
        {hasPasskey ? words.ladder.passkey : words.ladder.noPasskey}
      </h3>
      <p>{hasPasskey ? words.ladder.passkeyBody : words.ladder.noPasskeyBody}</p>
      <div className={styles["row"]}>
        <Button tone="main" disabled={blockedBy !== null} onKeyDown={refuseRepeat} onClick={onProve}>
          {hasPasskey ? words.ladder.givePasskey : words.ladder.signWithout}
        </Button>
        {!hasPasskey && (
          <Link href="/settings#passkeys" className={classes(buttons["button"], buttons["plain"])}>
            {words.ladder.addPasskey}
          </Link>
        )}
        <Button tone="quiet" onClick={onBack}>
          {words.ladder.back}
        </Button>
      </div>
    </section>
  );
}
