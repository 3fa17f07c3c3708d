import { wordPartsFor, type AuditVerdict, type StoreFault } from "#model";
import { createAuditRules } from "#policy";
import type { AuditReader, WorkTitles } from "#ports";
import { systemEd25519, systemSha256 } from "#runtime";
import { openAuditReader, type NoAudit } from "#stores";
import type { Environment } from "#config";
import { loadSetup } from "../client/setup.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { showMoment } from "../terminal/local-time.ts";

export const auditRules = createAuditRules(systemSha256, systemEd25519);

/** The chain as it lies on the disk, for the time of `work`. It is read directly: a check that asked the running Silas
 * would only repeat what that says. */
export async function withAudit<T>(
  environment: Environment,
  work: (audit: AuditReader & WorkTitles) => Promise<T>,
): Promise<T> {
  const { paths } = loadSetup(environment);
  const opened = openAuditReader({ dataDir: paths.dataDir, rules: auditRules });
  if (!opened.ok) throw auditFailure(opened.error);
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}

/** How far the owner's keys vouch for what was checked, in words. */
export function headsWords({ headsChecked, headsSigned, lastSignedAt }: HeadsFound): string {
  if (lastSignedAt === null)
    return `none of ${headsChecked} heads is signed: whoever can write the files can rewrite them`;
  return `${headsSigned} of ${headsChecked} heads signed, the last at ${showMoment(lastSignedAt)}`;
}
type HeadsFound = Pick<Extract<AuditVerdict, { valid: true }>, "headsChecked" | "headsSigned" | "lastSignedAt">;

/** Why the chain could not be read, in words. */
export function auditFailure(problem: NoAudit | StoreFault): CommandFailure {
  if (problem.code === "no_audit") {
    return new CommandFailure({
      what: `There is no audit log in ${problem.file} yet.`,
      next: "`silas init` or `silas start` makes it.",
    });
  }
  if (problem.code === "store_corrupt") {
    return new CommandFailure({
      what: "An entry of the audit log cannot be read.",
      next: "`silas audit verify --full` names the first bad entry.",
      cause: problem.cause,
    });
  }
  const { what, next } = wordPartsFor(problem);
  return new CommandFailure({ what, next, cause: problem.cause });
}
