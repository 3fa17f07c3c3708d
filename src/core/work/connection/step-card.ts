import { assert } from "#base";
import type { ConnectionCard, SetupStep } from "#model";

const cta = (
  action: string,
  role: "recommended" | "safe" | "decline",
  [label, consequence]: readonly [string, string],
) => ({
  action,
  role,
  label,
  consequence_label: consequence,
});
const DONE = cta("done", "recommended", ["I've done it", "Tell the setup that you have done it."]);
const TROUBLE = cta("trouble", "safe", ["Having trouble", "Tell the setup that it does not work."]);
const CANCEL = cta("cancel", "decline", ["Cancel", "End the setup; nothing is connected and its secrets are removed."]);

/** While it is widened there is a connection, and that is not touched. [PERM-04] */
const CANCEL_WIDER = cta("cancel", "decline", ["Cancel", "End it; the connection stays as it was, and the run ends."]);

type StepFacts = {
  readonly service: string;
  /** What the vault calls the secret that is asked for. */
  readonly vaultRefOf: (name: string) => string;
  /** Whether there is a connection already, which would be given more. */
  readonly isWider: boolean;
};

/** A step as a person sees it; null for one that is said otherwise. [CARD-07] [CARD-08] [CARD-11] */
function stepCard(step: SetupStep, { service, vaultRefOf, isWider }: StepFacts): ConnectionCard | null {
  const cancel = isWider ? CANCEL_WIDER : CANCEL;
  const name = service.slice(0, 40);
  switch (step.type) {
    case "device_code": {
      const { type, ...shown } = step;
      const intent = `Type the code at ${name}`;
      const rationale = "The service shows a page of its own. Whoever types this code there lets Silas in.";
      return { card_type: type, intent, risk_level: "low", rationale, ...shown, ctas: [DONE, TROUBLE, cancel] };
    }
    case "browser_redirect": {
      const { type, ...shown } = step;
      const intent = `Sign in at ${name}`;
      const rationale = "Your browser opens a page of the service, which leads back to this machine.";
      return { card_type: type, intent, risk_level: "low", rationale, ...shown, ctas: [TROUBLE, cancel] };
    }
    case "secure_input": {
      const intent = `A secret for ${name}`;
      const rationale = "It goes from its own form to the vault, and to nobody else.";
      const vault_ref = vaultRefOf(step.request.ref_id);
      return { card_type: "secure_input", intent, risk_level: "low", rationale, vault_ref, ctas: [cancel] };
    }
    case "progress": {
      const { message: rationale, progress_pct } = step;
      return {
        card_type: "progress",
        intent: isWider ? `Signing in again at ${name}` : `Connecting to ${name}`,
        risk_level: "low",
        rationale,
        progress_pct,
        ctas: [cancel],
      };
    }
    case "completion":
    case "failure":
      return null;
  }
}

/** Every step that waits for somebody has a card. */
export function cardOfStep(step: SetupStep, facts: StepFacts): ConnectionCard {
  const card = stepCard(step, facts);
  assert(card !== null, "CARD-11 a step that is shown has a card");
  return card;
}
