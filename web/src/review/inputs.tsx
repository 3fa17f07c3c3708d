import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PendingSecretsBody } from "#model";
import { ReadFailure } from "../data/reads.ts";
import { SecureInputCard } from "../secrets/secure-input-card.tsx";
import { announce } from "../ui-state.ts";
import { send } from "../wire/http.ts";
import { words } from "../words.ts";
import { invalidateReview } from "./review-reads.ts";
import styles from "./review.module.css";

/** Secrets that are asked for. They decide nothing, so they come after what does. */
export function useInputs(): PendingSecretsBody["requests"] {
  const { data } = useQuery({
    queryKey: ["review", "inputs"],
    queryFn: async () => {
      const answer = await send<PendingSecretsBody>("/api/secrets/pending", { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value.requests;
    },
    staleTime: 0,
  });
  return data ?? [];
}

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
