/** Why something was refused, as a person would say it; what is not listed says it in the words of its own code. */
export const reasonWords = (code: string): string =>
  Object.hasOwn(REASONS, code) ? (REASONS[code] ?? code) : code.replaceAll("_", " ");

const REASONS: { readonly [code: string]: string } = {
  approval_missing: "there is none",
  approval_unreadable: "it cannot be read",
  approval_not_granted: "it was given for another attempt",
  approval_item_differs: "it was given for something else",
  approval_hash_differs: "what would run is not what was signed",
  approval_signature_invalid: "its signature does not hold",
  approval_key_revoked: "its key was revoked",
  approval_key_unknown: "its key was removed",
  approval_not_yet_valid: "it is from a time that this clock has not reached",
  approval_expired: "it has expired",
  approval_spent: "it is used up",
  approval_lineage_differs: "it was given for another run",
  run_over: "the run it was used for has ended",
  store_corrupt: "what is kept of it is damaged",
  approval_void: "it is void since an older database was put back",
  key_revoked: "the key was revoked",
  key_unknown: "nobody knows the key",
  signature_invalid: "the signature does not hold",
  device_code_wrong: "the code was wrong",
  invalid_line: "a line of it is no record",
  interrupted: "it was interrupted",
  request_missing: "there is no such request any more",
  plan_unreadable: "what was approved cannot be read",
  plan_kind_refused: "Silas cannot run this kind",
};

/** A migration in words: its number, and what its file is named after. */
export function migrationWords(migration: string): string {
  const [, number = "", name = ""] = /^0*(\d+)_(.+)$/.exec(migration) ?? [];
  if (number === "") return migration;
  return name === "initial" ? "its first layout" : `layout ${number}, for ${name.replaceAll("_", " ")}`;
}
