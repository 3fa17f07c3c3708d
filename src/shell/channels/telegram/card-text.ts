import { neutralise, oneLine } from "#base";
import {
  authorWords,
  CHOOSE_MOVE,
  decidedWords,
  parsePayload,
  type Card,
  type KeptRequest,
  type NoticeButtons,
} from "#model";
import type { Button, Written } from "./bot-api.ts";
import { buttonData } from "./button-data.ts";

/** Where the page is, for links. */
export type PagePlace = { readonly url: string; readonly isPublic: boolean };

/** What Telegram takes as one message. */
export const MESSAGE_CHARS = 4096;
const SHORT_HASH_CHARS = 8;

/** What a card is called in the chat: the beginning of its hash. */
export const codeOf = ({ planHash }: Pick<KeptRequest, "planHash">): string => planHash.slice(0, SHORT_HASH_CHARS);

/**
 * Whether it may be decided in the chat: of low or medium risk, approved or declined as a whole, and shown as a whole.
 * INVARIANT: what is not in the message is not approved by its buttons. Any other kind is for the page.
 */
export function isDecidedHere(request: KeptRequest): boolean {
  const { riskLevel, card, kind, requestId } = request;
  const isCalm = riskLevel === "low" || riskLevel === "medium";
  const isTapped = card.friction.every((friction) => friction === "tap" || friction === "confirm");
  const isWhole = DECIDED_HERE.has(kind) && !isQuestion(request) && requestId.length <= REQUEST_ID_CHARS;
  return (
    isCalm && isTapped && isWhole && LONGEST.every((stage) => wholeText(request, stage).text.length <= MESSAGE_CHARS)
  );
}
const DECIDED_HERE: ReadonlySet<string> = new Set<KeptRequest["kind"]>([
  "plan_approval",
  "batch_review",
  "autonomy_threshold",
  "memory_promotion",
  "gate_approval",
  "step_approval",
  "skill_install",
]);
const LONGEST = ["ask", "confirm"] as const;
/** A longer one would not fit into a button. */
const REQUEST_ID_CHARS = 36;

/** It asks which of several ways one file goes; that is no yes or no. [BATCH-03] */
function isQuestion({ kind, markdown }: KeptRequest): boolean {
  const payload = kind === "batch_review" ? parsePayload(markdown) : null;
  return (
    payload !== null && (!payload.ok || (payload.value.kind === "batch_review" && payload.value.action === CHOOSE_MOVE))
  );
}

/** The card with its buttons. */
export function cardText(request: KeptRequest, buttons: NoticeButtons): Written {
  const { stage, nonce } = buttons;
  return { ...wholeText(request, stage), buttons: nonce === null ? [] : [buttonsOf(request, { stage, nonce })] };
}

function wholeText(request: KeptRequest, stage: NoticeButtons["stage"]): Written {
  const code = codeOf(request);
  const how =
    stage === "ask"
      ? `That is everything an approval signs. Press a button, or write "approve ${code}" or "decline ${code}".`
      : `You chose to approve this. Press a button to confirm, or write "confirm ${code}" or "decline ${code}".`;
  return around({ before: headOf(request), plain: wholeLines(request.card).join("\n"), after: how });
}

/** What cannot be decided in the chat, with the way to where it can. */
export function linkText(request: KeptRequest, page: PagePlace): Written {
  const why =
    request.riskLevel === "low" || request.riskLevel === "medium"
      ? "It does not fit into this chat, so it is decided on the page:"
      : `What is of ${request.riskLevel} risk is decided on the page:`;
  const after = `${why}\n${linkTo(page, `/review/${encodeURIComponent(request.requestId)}`)}`;
  return around({ before: headOf(request), plain: oneLine(request.card.intent), after });
}

/** What became of it. */
export function closedText(request: KeptRequest): Written {
  const { state, decidedAt, decidedBy, replacedBy } = request;
  const became = decidedAt === null ? "It waits no longer." : decidedWords({ state, decidedAt, decidedBy, replacedBy });
  return around({ before: became, plain: oneLine(request.card.intent), after: `Hash ${codeOf(request)}` });
}

export const linkTo = ({ url, isPublic }: PagePlace, path: string): string =>
  isPublic ? `${url}${path}` : `${url}${path} (on the machine that Silas runs on)`;

/** Words of Silas alone, with nothing in them that somebody else wrote. */
export const said = (text: string): Written => ({ text, plain: null, buttons: [] });

type Parts = { readonly before: string; readonly plain: string; readonly after: string };

export function around({ before, plain, after }: Parts): Written {
  const offset = before.length + 1;
  return { text: `${before}\n${plain}\n${after}`, plain: { offset, length: plain.length }, buttons: [] };
}

function headOf(request: KeptRequest): string {
  const author = authorWords(request.proposedBy);
  const head = `Silas asks for your decision. Risk: ${request.riskLevel}. Hash ${codeOf(request)}`;
  return author === null ? head : `${head}\n${author}.`;
}

type Live = { readonly stage: NoticeButtons["stage"]; readonly nonce: string };

function buttonsOf({ requestId, card }: KeptRequest, { stage, nonce }: Live): readonly Button[] {
  const data = (verb: "approve" | "decline" | "confirm" | "back") => buttonData({ verb, requestId, nonce });
  const approve = labelOf(card, "approve") ?? "Approve";
  if (stage === "confirm") {
    return [
      { label: `Confirm: ${approve}`, data: data("confirm") },
      { label: "Back", data: data("back") },
    ];
  }
  return [
    { label: approve, data: data("approve") },
    { label: labelOf(card, "decline") ?? "Decline", data: data("decline") },
  ];
}

const labelOf = ({ ctas }: Card, action: "approve" | "decline"): string | undefined =>
  ctas.find((cta) => cta.action === action)?.consequenceLabel;

/** Every value of the projection, under the place it belongs to; those that say nothing share a line, none is left out. */
function wholeLines({ intent, rationale, details }: Card): readonly string[] {
  const unset = byParent(details.rows.filter(isUnset)).map(
    ([parent, rows]) => `${parent}/{${rows.map(({ leaf }) => leaf).join(",")}}`,
  );
  return [
    oneLine(intent),
    `why: ${oneLine(rationale)}`,
    ...byParent(details.rows.filter((row) => !isUnset(row))).flatMap(([parent, rows]) => [
      ...(parent === "" ? [] : [`${parent}/`]),
      ...rows.flatMap(rowLines),
    ]),
    ...(unset.length === 0 ? [] : [`not set: ${unset.join(" ")}`]),
  ];
}

type Row = Card["details"]["rows"][number];
const isUnset = ({ kind }: Row): boolean => kind === "none" || kind === "empty";
type Placed = Row & { readonly leaf: string };

/** In the order in which each place is first named. */
function byParent(rows: readonly Row[]): readonly (readonly [string, readonly Placed[]])[] {
  const places = new Map<string, Placed[]>();
  for (const row of rows) {
    const path = oneLine(row.path);
    const cut = path.lastIndexOf("/");
    const parent = path.slice(0, Math.max(cut, 0));
    places.set(parent, [...(places.get(parent) ?? []), { ...row, leaf: path.slice(cut + 1) }]);
  }
  return [...places];
}

/** Text of several lines keeps them, each behind a mark, so that none can pass for another value. */
function rowLines({ leaf, text }: Placed): readonly string[] {
  const lines = neutralise(text).split("\n");
  if (lines.length === 1) return [`  ${leaf}: ${oneLine(text)}`];
  return [`  ${leaf}:`, ...lines.map((line) => `  | ${oneLine(line)}`)];
}
