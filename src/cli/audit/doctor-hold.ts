import { HOLD_MEANING, holdSentence } from "#model";
import { readHold } from "#stores";
import type { Finding } from "../house/doctor.ts";
import { auditRules } from "./chain.ts";

type Subject = { readonly setup: { readonly paths: { readonly dataDir: string } } };

/** Whether the database is the one that Silas last wrote. */
export function checkHold({ setup }: Subject): Finding {
  const check = "newest";
  const held = readHold({ dataDir: setup.paths.dataDir, rules: auditRules });
  if (!held.ok) {
    const fix = held.error.code === "no_audit" ? "silas init" : "see the finding about the runtime file";
    return { check, state: "warn", message: "whether the database is the newest cannot be told", fix };
  }
  if (held.value === null) return { check, state: "ok", message: "the database is the newest one", fix: null };
  return {
    check,
    state: "fail",
    message: `${holdSentence({ reason: held.value, missing: null })} ${HOLD_MEANING}`,
    fix: "put the newer silas.db back, or silas audit accept, which voids every unused approval",
  };
}
