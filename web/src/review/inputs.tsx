import type { ReactNode } from "react";
import type { PendingSecretsBody } from "#model";
import { SecureInputCard } from "../secrets/secure-input-card.tsx";
import { announce } from "../ui-state.ts";
import { words } from "../words.ts";
import { invalidateReview } from "./review-reads.ts";
import styles from "./review.module.css";

/** Secrets that are asked for. They decide nothing, so they come after what does. */
export function Inputs({ requests }: PendingSecretsBody): ReactNode {
  return requests.map((request) => (
    <div key={request.ref_id} className={styles["input"]}>
      <SecureInputCard request={request} onStored={onStored} />
    </div>
  ));
}

function onStored(): void {
  announce(words.secrets.stored);
  void invalidateReview();
}
