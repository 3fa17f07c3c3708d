import { gateSchemas } from "#model";
import { judgeFindings, validatorKind } from "./validator.ts";

/** Passwords and keys, as the scan of the text found them. A text that was not scanned does not pass. */
export const secretsValidator = validatorKind({
  schema: gateSchemas.secrets,
  takes: "on_fail (exception or fix)",
  needs: "secrets",
  rewrites: true,
  create:
    ({ on_fail: onFail = "fix" }) =>
    (text, { secrets }) =>
      secrets?.ok === true
        ? judgeFindings(text, { found: secrets.value, onFail, what: "Secrets" })
        : { state: "failed", message: "Secrets: the text could not be checked" },
});
