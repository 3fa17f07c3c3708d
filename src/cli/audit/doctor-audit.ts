import type { Instant } from "#base";
import { auditBreakWords } from "#model";
import { openAuditReader } from "#stores";
import type { Finding } from "../house/doctor.ts";
import { showMoment } from "../terminal/local-time.ts";
import { auditRules, headsWords } from "./chain.ts";
import { isFullCheckDue, keepFullCheck, readFullCheck } from "./full-check.ts";

type Subject = {
  readonly setup: { readonly paths: { readonly dataDir: string; readonly stateDir: string } };
  readonly here: { readonly now: Instant };
};

/** The whole chain once a week, and since the last checkpoint in between. Nothing repairs a broken one. */
export async function checkAudit({ setup: { paths }, here }: Subject): Promise<Finding> {
  const check = "audit chain";
  const opened = openAuditReader({ dataDir: paths.dataDir, rules: auditRules });
  if (!opened.ok) {
    if (opened.error.code === "no_audit") {
      return { check, state: "warn", message: "there is none yet", fix: "silas init" };
    }
    return { check, state: "fail", message: "silas.db cannot be read", fix: "see the finding about the runtime file" };
  }
  try {
    const last = readFullCheck(paths.stateDir);
    const isFull = isFullCheckDue(last, here.now);
    const verdict = await opened.value.verify(isFull ? "genesis" : "latest");
    if (!verdict.ok) {
      return { check, state: "fail", message: "the log cannot be read", fix: "see the finding about the runtime file" };
    }
    const { value } = verdict;
    if (value.valid) {
      if (isFull) keepFullCheck(paths.stateDir, { at: here.now, ...value.head });
      const checked = isFull
        ? `all ${value.entriesChecked} entries hold together`
        : `${value.entriesChecked} entries since the last checkpoint hold together, all of them did at ${showMoment(last?.at ?? here.now)}`;
      return { check, state: "ok", message: `${checked}; ${headsWords(value)}`, fix: null };
    }
    return {
      check,
      state: "fail",
      message: auditBreakWords(value.broken),
      fix: "somebody changed the log; compare with a backup, `silas restore` puts one back",
    };
  } finally {
    await opened.value.close();
  }
}
