import type { FaultKind } from "./mutants.ts";

type Excluded = {
  readonly path: string;
  readonly kind: FaultKind;
  readonly original: string;
  readonly reason: string;
};

/** Boundaries of one file where it makes no difference on which side the equal ones are, each with its reason. */
function moved(path: string, reasons: Readonly<Record<string, string>>): readonly Excluded[] {
  return Object.entries(reasons).map(([original, reason]) => ({ path, kind: "moved boundary", original, reason }));
}

/** Faults that change nothing anyone could observe. `npm run mutate` prints each one that it leaves out. */
export const EXCLUDED: readonly Excluded[] = [
  ...moved("src/core/base/canonical-json.ts", {
    "value <= Number.MAX_SAFE_INTEGER": "the longer way below writes this number the same",
    "value >= -Number.MAX_SAFE_INTEGER": "the longer way below writes this number the same",
    "text.length >= SHORT_CHARS": "the pattern and the loop give the same answer, at any length",
    "index < text.length": "behind the end stands no character, and nothing is in a range with that",
    "unit < 0x20": "a text with a space is written the same by the engine, which is asked then",
  }),
  ...moved("src/core/base/canonical-json.ts", {
    "keys.length > KEYS_REMEMBERED": "decides what is remembered, not what is written",
    "weight <= WEIGHT_MAX": "decides when memory starts anew, not what is written",
  }),
  ...moved("src/core/base/strict-json.ts", {
    "digits <= SAFE_DIGITS": "the longer way below accepts every integer of this length",
  }),
  ...moved("src/core/policy/card-plan.ts", {
    "capabilities.files_read.length > 0": "running work weighs as much as reading files",
  }),
  ...moved("src/core/policy/gates/validators/folded.ts", {
    "point < 0x80": "U+0080 is read as itself by what follows, too",
    "point <= 0xffff": "U+FFFF is its own compatible form",
    'compatible < "\\u0080"': "no character has U+0080 for its compatible form",
  }),
  ...moved("src/core/policy/gates/validators/pii.ts", {
    "end > at + 1": "a domain without a letter is none, however far it is taken back",
  }),
  ...moved("src/core/policy/taint/taint.ts", {
    "code >= 0xff01": "a wide exclamation mark is a sign of nothing that is looked for",
    "code <= 0xff5e": "a wide tilde is a sign of nothing that is looked for",
  }),
  ...moved("src/core/work/check-fields.ts", {
    "steps > 0": "a circle of so many names comes back to its beginning within as many steps",
  }),
  ...moved("src/core/model/approval/signature.ts", {
    "bits < 8": "each byte is read one digit later, and behind the last byte of a signature there is one",
  }),
  ...moved("src/core/model/capture.ts", { "at < words.length": "behind the last word there is none that matches" }),
  ...moved("src/core/model/capture/marks.ts", { "at < words.length": "behind the last word there is no weekday" }),
  ...moved("src/shell/sandbox/watch.ts", {
    "gone >= bytesMax / 2": "decides only when a folder is counted, never what is found",
    "start.ffree - now.ffree >= ENTRIES_MAX / 2": "decides only when a folder is counted, never what is found",
  }),
  ...moved("src/shell/sandbox/launch.ts", {
    "number > 2": "standard error is always given, so that nothing is put over it",
  }),
  ...moved("src/shell/sandbox/output.ts", {
    "code > 128": "no signal has the number 0",
    "polls < GONE_POLLS_MAX": "one look more of ten thousand",
  }),
  ...moved("src/shell/sandbox/container/engine-client.ts", {
    "head.length > 0": "putting back no bytes changes nothing",
  }),
  ...moved("src/shell/sandbox/container/launch-container.ts", {
    "looks < LOOKS_MAX": "one look more of five thousand",
  }),
  ...moved("src/shell/runtime/batches/digests.ts", {
    "known.size >= FILES_MOST": "the cache holds one file more before it begins anew; every digest is the same",
  }),
  ...moved("src/shell/runtime/gates/linear-patterns.ts", {
    "kept.size >= PATTERNS_KEPT": "the cache holds one pattern more before it begins anew; every answer is the same",
  }),
  ...moved("src/shell/runtime/goals/create.ts", {
    "known.size >= LIMITS.goalsMax": "the cache holds one goal more; what was approved is never changed",
  }),
  ...moved("src/shell/runtime/goals/load-goal.ts", {
    "readBefore.size >= LIMITS.goalsMax": "the cache holds one text more; a text always says the same",
  }),
  ...moved("src/shell/runtime/journal-transfer.ts", {
    "from < read.length": "the part behind the last record is empty, and reading no records gives none",
  }),
  ...moved("src/shell/runtime/secrets/written-passwords.ts", {
    "entropyOf(text) >= 3.2": "no text has exactly 3.2 bits: shares of whole numbers never add up to a fifth",
    "at < text.length": "the rest behind the last character is empty, and no key begins in it",
  }),
  ...moved("src/shell/runtime/secrets/without-secrets.ts", {
    "value.length < SHORTEST": "no form of a credential fits into so few characters",
  }),
  ...moved("src/shell/runtime/skills/check.ts", {
    "from < text.length": "the part behind the last character is empty, and no credential is found in it",
  }),
  ...moved("src/shell/stores/approvals/recorded-uses.ts", {
    "given < voided": "an entry gives approvals or voids them, so that the two are never the same entry",
  }),
  ...moved("src/shell/stores/memories/rows.ts", {
    "promotion.seq > (told?.seq ?? 0)": "a promotion and what was told of a memory are never the same entry",
  }),
  ...moved("src/shell/stores/audit/heads.ts", {
    "whole < tail.length": "cutting off nothing leaves the file as it is",
  }),
  ...moved("src/shell/stores/journal/task-rows.ts", {
    "startedAt > runningSince": "of two that began in the same moment either gives that moment",
  }),
  ...moved("src/shell/stores/keys/key-registry.ts", {
    "vouched.size >= LIMITS.vouchedKeys":
      "the cache holds one key more before it begins anew; every answer is the same",
  }),
  {
    path: "src/shell/stores/sqlite.ts",
    kind: "dropped call",
    original: "statements.set(sql, made);",
    reason: "a statement that is not kept is compiled again, and does the same",
  },
  {
    path: "src/shell/stores/sqlite.ts",
    kind: "dropped guard",
    original: "if (kept !== undefined) return kept;",
    reason: "a statement that is compiled again does the same",
  },
  {
    path: "src/shell/stores/vault/vault-seal.ts",
    kind: "dropped call",
    original: "plain.fill(0);",
    reason: "overwrites bytes that nobody else ever gets to see",
  },
  {
    path: "src/core/model/talk/model-place.ts",
    kind: "dropped guard",
    original: "if (scheme === undefined) return null;",
    reason: "an address without a scheme is refused at the end as well",
  },
];
