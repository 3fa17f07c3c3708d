import { useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import { CTA_ROLES, type CardBody, type ShownRequestBody } from "#model";
import { Button } from "../parts/button.tsx";
import { offerFile } from "../parts/offer-file.ts";
import { readPasskeys, useDeviceKey } from "../trust/index.ts";
import { useConnection } from "../wire/connection.ts";
import { words } from "../words.ts";
import type { Asking } from "./ask/use-answer.ts";
import { chosenLabel, SelectionNote } from "./batch/selection-note.tsx";
import type { Choosing } from "./batch/use-batch.ts";
import type { CardTruth } from "./card-truth.ts";
import { CannotSign } from "./card/cannot-sign.tsx";
import styles from "./card/card.module.css";
import { Approve } from "./ladder/approve.tsx";
import { PasskeyStep } from "./ladder/passkey-step.tsx";
import type { Approving } from "./ladder/primary-button.tsx";
import type { Decision } from "./use-decision.ts";

type ZoneProps = {
  readonly request: ShownRequestBody;
  readonly truth: CardTruth;
  readonly decision: Decision;
  /** What is ticked of a batch; null for anything else. */
  readonly choosing: Choosing | null;
  /** What stands in the form of a question; null for anything else. */
  readonly asking: Asking | null;
};
type Cta = CardBody["ctas"][number];

/**
 * What can be done, the recommended first and declining last, whatever order came. Every control is live as soon as it
 * is there, except without a connection: a decision is never kept for later. [CARD-03] [FATIGUE-06]
 */
export function DecisionZone({ request, truth, decision, choosing, asking }: ZoneProps): ReactNode {
  const isOffline = useConnection((state) => state.state === "offline");
  const reasonId = useId();
  const isBusy = decision.phase !== "idle";
  const blockedBy = isOffline || isBusy ? reasonId : null;
  return (
    <div className={styles["zone"]} data-testid="decide" aria-busy={isBusy}>
      <p id={reasonId} className={styles["reason"]} role={isOffline ? "alert" : "status"}>
        {isOffline ? words.ladder.offline : isBusy ? words.ladder[decision.phase] : ""}
      </p>
      {decision.refusal !== null && !isOffline && (
        <p className={styles["refusal"]} role="alert">
          <strong>{words.ladder.refused}.</strong> {decision.refusal}
        </p>
      )}
      {choosing !== null && <SelectionNote choosing={choosing} />}
      {ordered(request.card.ctas).map((cta) => (
        <Choice key={cta.action} cta={cta} blockedBy={blockedBy} {...{ request, truth, decision, choosing, asking }} />
      ))}
    </div>
  );
}

type ChoiceProps = ZoneProps & { readonly cta: Cta; readonly blockedBy: string | null };

function Choice({ cta, blockedBy, request, truth, decision, choosing, asking }: ChoiceProps): ReactNode {
  const { action } = cta;
  const label = action === "approve" ? approveLabel(cta, { choosing, asking }) : cta.consequence_label;
  if (action === "approve") {
    if (truth.kind === "tampered" || choosing?.ids.length === 0 || asking?.answer === null) return null;
    const { intent } = request.card;
    return (
      <ApproveChoice
        request={request}
        label={label}
        intent={intent}
        blockedBy={blockedBy}
        onApprove={decision.approve}
      />
    );
  }
  if (action === "approve_once") {
    if (truth.kind === "tampered") return null;
    const { intent } = request.card;
    const approving = { request, label, intent, blockedBy, onApprove: decision.approveOnce };
    return <ApproveChoice rank="further" {...approving} />;
  }
  if (action === "tighten_now") {
    return (
      <Button
        className={styles["choice"]}
        data-role={cta.role}
        disabled={blockedBy !== null}
        aria-describedby={blockedBy ?? undefined}
        onClick={decision.tighten}
      >
        {label}
      </Button>
    );
  }
  // The form of a question is where it is edited, or wished for anew.
  if (action === "rephrase" || (action === "edit" && asking !== null)) return null;
  if (action === "edit") {
    return (
      <Button className={styles["choice"]} data-role={cta.role} onClick={() => takePlan(request)}>
        {label}
      </Button>
    );
  }
  return (
    <Button
      tone="quiet"
      className={styles["choice"]}
      data-role={cta.role}
      disabled={blockedBy !== null}
      aria-describedby={blockedBy ?? undefined}
      onClick={decision.decline}
    >
      {label}
    </Button>
  );
}

/** What the first choice does now, where that depends on what was ticked or written. */
function approveLabel(cta: Cta, { choosing, asking }: Pick<ZoneProps, "choosing" | "asking">): string {
  if (choosing !== null) return chosenLabel(choosing);
  return asking === null || asking.label === "" ? cta.consequence_label : asking.label;
}

function ApproveChoice({ request, ...approving }: Approving & { readonly request: ShownRequestBody }): ReactNode {
  const { device } = useDeviceKey();
  const isIrreversible = request.risk_level === "irreversible";
  const passkeys = useQuery({ queryKey: ["review", "passkeys"], queryFn: readPasskeys, enabled: isIrreversible });
  if (device !== null && device.state.kind !== "enrolled") return <CannotSign device={device} />;
  if (!isIrreversible) return <Approve risk={request.risk_level} {...approving} />;
  const hasPasskey = passkeys.data?.ok === true && passkeys.data.value.passkeys.length > 0;
  return <PasskeyStep hasPasskey={hasPasskey} {...approving} />;
}

/** A plan is changed in its file and proposed anew: another plan is another approval. */
function takePlan({ markdown, work_item_id: id }: ShownRequestBody): void {
  offerFile(new Blob([markdown]), `${id}.md`);
}

const ordered = (ctas: readonly Cta[]): readonly Cta[] =>
  ctas.toSorted((a, b) => CTA_ROLES.indexOf(a.role) - CTA_ROLES.indexOf(b.role));
