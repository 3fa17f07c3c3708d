import { jailbreakValidator } from "./jailbreak.ts";
import { piiValidator } from "./pii.ts";
import { secretsValidator } from "./secrets.ts";
import { toxicityValidator } from "./toxicity.ts";
import type { ValidatorKind } from "./validator.ts";

/** The validators that ship with Silas, by the name a gate gives as `check`. Nothing in core asks for one by name. */
export const SHIPPED_VALIDATORS: { readonly [name: string]: ValidatorKind } = {
  jailbreak: jailbreakValidator,
  pii: piiValidator,
  secrets: secretsValidator,
  toxicity: toxicityValidator,
};
