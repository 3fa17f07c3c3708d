import { wordPartsFor, type StoreFault } from "#model";
import { createAuditRules } from "#policy";
import type { AuditReader } from "#ports";
import { systemSha256 } from "#runtime";
import { openAuditReader, type NoAudit } from "#stores";
import type { Environment } from "#config";
import { loadSetup } from "../client/setup.ts";
import { CommandFailure } from "../terminal/failure.ts";

export const auditRules = createAuditRules(systemSha256);

/** The chain as it lies on the disk, for the time of `work`. It is read directly: a check that asked the running Silas
 * would only repeat what that says. */
export async function withAudit<T>(environment: Environment, work: (audit: AuditReader) => Promise<T>): Promise<T> {
  const { paths } = loadSetup(environment);
  const opened = openAuditReader({ dataDir: paths.dataDir, rules: auditRules });
  if (!opened.ok) throw auditFailure(opened.error);
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}

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
