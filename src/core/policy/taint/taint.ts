import { neutralise, assert, err, ok, type Result } from "#base";
import { type ScrubKind, TAINTS, type Source, type Taint, type SecretRefusal, type SecretScan } from "#model";

/** The least trusted of several; nothing is made of nothing. [TAINT-06] */
export function joinTaints(first: Taint, ...others: readonly Taint[]): Taint {
  return TAINTS[Math.max(...[first, ...others].map(rankOf))] as Taint;
}

/**
 * INVARIANT: a word this version does not know ranks below every other, so that nothing rises by being misspelt.
 */
function rankOf(taint: Taint): number {
  const rank = TAINTS.indexOf(taint);
  return rank === -1 ? TAINTS.length - 1 : rank;
}

/** A thing with a known origin. */
export type Tainted = { readonly itemId: string; readonly taint: Taint };

/**
 * What a new thing made of others is trusted as: the least of them all. There is no other way to make one, and no
 * argument that raises it; only an endorsement of the owner does, for one item. [TAINT-05] [TAINT-06]
 */
export function deriveTaint(sources: readonly Pick<Tainted, "taint">[]): Taint {
  const [first, ...others] = sources;
  assert(first !== undefined, "TAINT-06 what is made was made of something");
  return joinTaints(first.taint, ...others.map(({ taint }) => taint));
}

/** How far the words of a message may be trusted together with everything they refer to. */
export const taintWithSources = (taint: Taint, sources: readonly Pick<Source, "taint">[]): Taint =>
  deriveTaint([{ taint }, ...sources]);

/** A signed decision of the owner about exactly one item, as the approval store keeps it. */
type Endorsement = { readonly itemId: string; readonly tokenId: string };

/** The only way up: the owner's own signature about this very item. [TAINT-08] */
export function endorse<T extends Tainted>(item: T, endorsement: Endorsement): T {
  return endorsement.itemId === item.itemId ? { ...item, taint: "owner" } : item;
}

/** Refuses a text with a credential in it, and a text whose scan failed. */
export function judgeScan(scan: SecretScan): Result<void, SecretRefusal> {
  if (!scan.ok) return err({ code: "secret_scan_failed", reason: scan.error });
  const [first] = scan.value;
  return first === undefined ? ok() : err({ code: "holds_secret", found: first.kind });
}

type Scrubbed = {
  readonly text: string;
  readonly findings: readonly { readonly kind: ScrubKind; readonly count: number }[];
};

/**
 * Makes a text from outside harmless before it is kept: what could be taken for a role, a call of a tool, an edge of a
 * quotation, or is not seen at all, is broken visibly between ⟦ and ⟧. Nothing is left out, and plain text stays as it
 * is. This is a help against accidents and cheap tricks; what protects is the taint, which no wording changes. [T4]
 */
export function scrubText(text: string): Scrubbed {
  const counts = new Map<ScrubKind, number>();
  const found = (kind: ScrubKind): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  let clean = showHidden(text, () => found("hidden"));
  // A broken mark can leave the halves of another around it; whoever nests deeper than this gets every sign broken.
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const before = clean;
    for (const [kind, pattern] of PATTERNS) clean = breakEach(clean, { pattern, found: () => found(kind) });
    if (clean === before) return { text: clean, findings: listed(counts) };
  }
  found("delimiter");
  return { text: broken(clean), findings: listed(counts) };
}

const PASSES_MAX = 8;
const listed = (counts: ReadonlyMap<ScrubKind, number>): Scrubbed["findings"] =>
  [...counts].map(([kind, count]) => ({ kind, count }));

/**
 * What `neutralise` would change is what a person does not see. It exchanges sign by sign, so the places where both
 * texts differ are those. Joiners stay where emoji, Persian and Indic text are written with them; between Latin letters
 * they mean nothing and hide words.
 */
function showHidden(text: string, found: () => void): string {
  const marked = (run: string): string => {
    found();
    return markOf(run);
  };
  const joined = text.replace(IDLE_JOINERS, marked);
  const shown = neutralise(joined);
  if (shown === joined) return joined;
  const seen = [...shown];
  let [clean, run] = ["", ""];
  for (const [index, sign] of [...joined].entries()) {
    if (sign !== seen[index]) run += sign;
    else {
      clean += run === "" ? sign : marked(run) + sign;
      run = "";
    }
  }
  return run === "" ? clean : clean + marked(run);
}

const IDLE_JOINERS = /(?<=[\p{Script=Latin}\p{Nd}])[\u200C\u200D]+(?=[\p{Script=Latin}\p{Nd}])/gu;

/** One sign, or the first of a row of them and how many there are. */
function markOf(run: string): string {
  const signs = [...run];
  const first = (signs[0]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return signs.length === 1 ? `⟦U+${first}⟧` : `⟦U+${first} and ${signs.length - 1} more hidden⟧`;
}

const ROLES = "system|assistant|user|human|developer|tool|function";

// Each is matched on a folded copy of the text (see `fold`), so that wide or foreign letters that look alike do not slip
// through. Bounded repetition everywhere: no text makes these slow.
const PATTERNS: readonly (readonly [ScrubKind, RegExp])[] = [
  // Marks of chat templates: <|im_start|>, <|system|>, <<SYS>>, [INST], <start_of_turn>, </s>.
  ["role_marker", /<\|[^\n<>|]{1,40}\|>|<<\/?sys>>|\[\/?inst\]|<\/?(?:start|end)_of_turn>|<\/?s>/g],
  ["role_marker", new RegExp(`</?(?:${ROLES})(?:_prompt|_message|_instructions)?>`, "g")],
  // A line that begins like a turn of a conversation, also as a heading.
  ["role_marker", new RegExp(`(?<=^|\\n)[ \\t]{0,8}(?:#{1,6}[ \\t]{0,4})?(?:${ROLES})[ \\t]{0,4}:`, "g")],
  ["role_marker", /(?<=^|\n)[ \t]{0,8}#{1,6}[ \t]{0,4}(?:instructions?|response|system prompt)[ \t]{0,4}:/g],
  // Calls of tools as models write them.
  [
    "tool_call",
    /<\/?(?:\w{1,20}:)?(?:tool_calls?|tool_use|tool_results?|tool_response|function_calls?|function_results?|invoke|parameter)\b[^\n<>]{0,200}>/g,
  ],
  ["tool_call", /<\/?function=[^\n<>]{0,200}>|```tool_(?:code|call|outputs?)\b/g],
  ["tool_call", /"(?:tool_calls?|function_call|tool_use_id|tool_call_id)"\s{0,8}:/g],
  // Edges of quotations as Silas draws them, and names of such edges.
  ["delimiter", /(?<=^|\n)[ \t]{0,8}-{3}[ \t]{1,4}(?:end|[^\n|]{1,80}\|[^\n]{0,200})[ \t]{1,4}-{3}(?=\r?\n|$)/g],
  [
    "delimiter",
    /<\/?(?:external|untrusted|owner|auth|quoted?|context|memory|document)(?:_content|_data|_text|_input)?>/g,
  ],
];

type Breaking = { readonly pattern: RegExp; readonly found: () => void };

function breakEach(text: string, { pattern, found }: Breaking): string {
  const folded = fold(text);
  let [clean, from] = ["", 0];
  for (const match of folded.matchAll(pattern)) {
    const end = match.index + match[0].length;
    found();
    const own = text.slice(match.index, end);
    const lead = /^\s*/.exec(own)?.[0] ?? "";
    clean += `${text.slice(from, match.index)}${lead}⟦${broken(own.slice(lead.length))}⟧`;
    from = end;
  }
  return from === 0 ? text : clean + text.slice(from);
}

/** The signs that give a mark its power, as signs that only look like them. */
const broken = (mark: string): string =>
  Array.from(mark, (sign) => BROKEN[sign] ?? BROKEN[fold(sign)] ?? sign).join("");

const BROKEN: { readonly [sign: string]: string } = {
  "<": "‹",
  ">": "›",
  "|": "¦",
  "[": "⟨",
  "]": "⟩",
  ":": "꞉",
  "#": "♯",
  "`": "´",
  '"': "”",
  "-": "–",
};

/**
 * The text in lower case with look-alikes as the Latin signs they imitate. INVARIANT: unit by unit, so that a place in
 * the folded text is the same place in the text.
 */
function fold(text: string): string {
  return text.replace(/[^\n\t -@[-~]/g, (unit) => {
    const code = unit.charCodeAt(0);
    const narrow = code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : (ALIKE[unit] ?? unit);
    const lower = narrow.toLowerCase();
    return lower.length === unit.length ? lower : unit;
  });
}

const ALIKE: { readonly [unit: string]: string } = {
  "\u00A0": " ",
  "\u3000": " ",
  "\u0430": "a",
  "\u0435": "e",
  "\u043E": "o",
  "\u0440": "p",
  "\u0441": "c",
  "\u0443": "y",
  "\u0445": "x",
  "\u0456": "i",
  "\u0455": "s",
  "\u04BB": "h",
  "\u0501": "d",
  "\u0406": "i",
  "\u0405": "s",
  "\u0421": "c",
  "\u0410": "a",
  "\u0415": "e",
  "\u041E": "o",
  "\u0420": "p",
  "\u0425": "x",
  "\u0422": "t",
  "\u041C": "m",
  "\u041D": "h",
  "\u03BF": "o",
  "\u2010": "-",
  "\u2011": "-",
  "\u2212": "-",
  "\u01C0": "|",
  "\u2223": "|",
  "\u2502": "|",
  "\u276E": "<",
  "\u276F": ">",
  "\u2236": ":",
};
