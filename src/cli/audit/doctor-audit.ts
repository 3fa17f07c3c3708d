import { auditBreakWords } from "#model";
import { openAuditReader } from "#stores";
import type { Finding } from "../house/doctor.ts";
import { auditRules, headsWords } from "./chain.ts";

type Subject = { readonly setup: { readonly paths: { readonly dataDir: string } } };

/** The whole chain, from its first entry. Nothing repairs a broken one: that is its purpose. */
export async function checkAudit({ setup }: Subject): Promise<Finding> {
  const check = "audit chain";
  const opened = openAuditReader({ dataDir: setup.paths.dataDir, rules: auditRules });
  if (!opened.ok) {
    if (opened.error.code === "no_audit") {
      return { check, state: "warn", message: "there is none yet", fix: "silas init" };
    }
    return { check, state: "fail", message: "silas.db cannot be read", fix: "see the finding about the runtime file" };
  }
  try {
    const verdict = await opened.value.verify("genesis");
    if (!verdict.ok) {
      return { check, state: "fail", message: "the log cannot be read", fix: "see the finding about the runtime file" };
    }
    const { value } = verdict;
    if (value.valid) {
      return {
        check,
        state: "ok",
        message: `${value.entriesChecked} entries hold together; ${headsWords(value)}`,
        fix: null,
      };
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
