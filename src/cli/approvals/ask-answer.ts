import { readFile } from "node:fs/promises";
import { neutralise, oneLine } from "#base";
import { isAskingKind, readPayload, type KeptRequest, type OwnerReply, type ShownPayload } from "#model";
import { requirePerson } from "../terminal/ask.ts";
import { CommandFailure, EXIT, usage } from "../terminal/failure.ts";
import { askChoice, askText } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type Question = Extract<ShownPayload, { readonly kind: "decision" | "draft_review" }>;
/** What was said on the command line; nothing of it asks. */
export type Said = {
  readonly option?: string;
  readonly text?: string;
  readonly approve?: boolean;
  readonly edit?: string;
  readonly again?: string;
  readonly reject?: boolean;
};

/** What a step asks, read from the text that is signed; null for what is approved or declined. */
export function questionIn({ kind, projection }: Pick<KeptRequest, "kind" | "projection">): Question | null {
  if (!isAskingKind(kind)) return null;
  const read = readPayload(kind, projection);
  return read.ok ? (read.value.payload as Question) : null;
}

/** What is asked and how it can be answered, as lines. */
export function questionLines(question: Question): readonly string[] {
  if (question.kind === "draft_review") {
    const draft = neutralise(question.draft).split("\n");
    return [`Draft for ${oneLine(question.context)}:`, ...draft.map((line) => `  | ${oneLine(line)}`)];
  }
  const { options, allow_freetext: mayWrite } = question;
  return [
    oneLine(question.question),
    ...options.map(({ label, value }) => `  ${oneLine(value)}  ${oneLine(label)}`),
    ...(mayWrite ? ["  or words of your own"] : []),
  ];
}

const DECIDED = { selected_value: null, freetext: null, approved: true } as const;
const DRAFTED = { edited_text: null, note: null } as const;

/** The answer that the options of the command give; null when they give none. */
export async function saidAnswer(question: Question, said: Said): Promise<OwnerReply | null> {
  const names = Object.keys(said).filter((name) => KNOWN.has(name));
  if (names.length === 0) return null;
  const wrong = names.find((name) => !TAKES[question.kind].has(name));
  if (names.length > 1) throw usage(`--${names.join(" and --")} cannot be one answer.`);
  if (wrong !== undefined) throw usage(`--${wrong} answers no ${NAMES[question.kind]}.`);
  if (question.kind === "decision") {
    if (said.reject === true) return { ...DECIDED, approved: false };
    return { ...DECIDED, selected_value: said.option ?? null, freetext: said.text ?? null };
  }
  if (said.reject === true) return { ...DRAFTED, verdict: "reject" };
  if (said.again !== undefined) return { ...DRAFTED, verdict: "rephrase", note: said.again };
  if (said.edit === undefined) return { ...DRAFTED, verdict: "approve" };
  return { ...DRAFTED, verdict: "edit", edited_text: await readText(said.edit) };
}

const TAKES = {
  decision: new Set(["option", "text", "reject"]),
  draft_review: new Set(["approve", "edit", "again", "reject"]),
} as const satisfies { readonly [K in Question["kind"]]: ReadonlySet<string> };
const NAMES = { decision: "question", draft_review: "draft" } as const;
const KNOWN: ReadonlySet<string> = new Set([...TAKES.decision, ...TAKES.draft_review]);

async function readText(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) throw new CommandFailure({ what: `${path} cannot be read.`, kept: "Nothing was decided." });
  return text;
}

type Asked = { readonly requestId: string; readonly question: Question };

/** Asks whoever sits there; nothing is chosen for anybody. */
export async function askAnswer(terminal: Terminal, { requestId, question }: Asked): Promise<OwnerReply> {
  for (const line of questionLines(question)) terminal.note(line);
  const isDraft = question.kind === "draft_review";
  requirePerson(terminal, {
    what: "A step asks for your answer, and nobody can be asked here.",
    kept: "Nothing was decided; the question waits on.",
    next: `\`silas answer ${requestId} ${isDraft ? "--approve" : "--option VALUE"}\` answers it; \`silas answer --help\` tells the other ways.`,
  });
  const write = async (message: string): Promise<string> => {
    const text = await askText(message);
    if (text === null || text.trim() === "") throw notDecided();
    return text;
  };
  const ways = isDraft ? DRAFT_WAYS : decisionWays(question);
  const way = await askChoice({ message: "Your answer?", options: [...ways, LATER] });
  if (way === null || way === LATER.value) throw notDecided();
  if (!isDraft) {
    return way === OWN.value
      ? { ...DECIDED, freetext: await write("Your words") }
      : { ...DECIDED, selected_value: way.slice(1) };
  }
  if (way === "again") return { ...DRAFTED, verdict: "rephrase", note: await write("What should be different?") };
  return { ...DRAFTED, verdict: way === "reject" ? "reject" : "approve" };
}

const LATER = { value: "", label: "None yet; the question waits on" };
const OWN = { value: "+", label: "Words of my own" };
const DRAFT_WAYS = [
  { value: "approve", label: "Approve it as it is" },
  { value: "again", label: "Ask for another draft" },
  { value: "reject", label: "Reject it: the run ends" },
];
const decisionWays = ({ options, allow_freetext: mayWrite }: Extract<Question, { readonly kind: "decision" }>) => [
  ...options.map(({ label, value }) => ({ value: `=${value}`, label: oneLine(label) })),
  ...(mayWrite ? [OWN] : []),
];

const notDecided = (): CommandFailure =>
  new CommandFailure({ what: "Not decided.", kept: "The question waits on.", exit: EXIT.needsDecision });
