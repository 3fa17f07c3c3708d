import type { ReactNode } from "react";
import type { RiskLevel } from "#model";
import { ConfirmChip } from "./confirm-chip.tsx";
import { PrimaryButton, type Approving } from "./primary-button.tsx";
import { SlideStep } from "./slide-step.tsx";

/** The way to an approval, steeper where more can go wrong. [RISK-01] */
export function Approve({ risk, ...approving }: Approving & { readonly risk: RiskLevel }): ReactNode {
  if (risk === "low") return <TapOnly {...approving} />;
  if (risk === "medium") return <ConfirmChip {...approving} />;
  return <SlideStep {...approving} />;
}

function TapOnly({ label, blockedBy, onApprove, rank }: Approving): ReactNode {
  return (
    <PrimaryButton rank={rank} blockedBy={blockedBy} onPress={() => onApprove(["tap"])}>
      {label}
    </PrimaryButton>
  );
}
