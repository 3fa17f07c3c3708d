import { saysNothing, type VerificationCheck } from "#model";
import { splitCommand } from "../command-line.ts";

/** Whether checks that all passed show anything: one at least must be able to come out another way. [INV-03] */
export const proves = (checks: readonly VerificationCheck[]): boolean =>
  checks.some(({ run, expect: { contains, regex, fileExists } }) => {
    const words = splitCommand(run);
    const expect = { contains, regex, file_exists: fileExists };
    return !words.ok || !saysNothing({ argv: words.value, expect });
  });
