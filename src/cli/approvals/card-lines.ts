import { neutralise, oneLine } from "#base";
import {
  authorWords,
  decidedWords,
  readProjection,
  replacedIn,
  scheduleWords,
  termsWords,
  type Card,
  type KeptRequest,
} from "#model";
import { describeBatch } from "../batches/batch-lines.ts";
import { budgetLine } from "../plan/budget-line.ts";
import { showMoment } from "../terminal/local-time.ts";

const LABEL_CHARS = 12;

/** A request as lines for people: what would happen, and then everything that is signed, whole. Each is safe to show. */
export function describeRequest(request: KeptRequest): readonly string[] {
  const { card } = request;
  const rows: readonly Labelled[] = [
    ["request", [request.requestId]],
    ["state", [stateWords(request)]],
    ["asked", [showMoment(request.createdAt)]],
    ["author", authorLines(request)],
    ["replaces", replacedLines(request)],
    ["risk", [card.riskLevel]],
    ["why", [card.rationale]],
    ["when", whenLines(request)],
    ["moves", describeBatch(request)],
    ...effectRows(card),
    ["approval", termsLines(card)],
    ["hash", [request.planHash]],
  ];
  return [
    oneLine(card.intent),
    ...rows.flatMap(([label, lines]) => labelled(label, lines)).map(oneLine),
    "",
    "Everything an approval of it signs:",
    ...card.details.rows.flatMap(detailLines),
    ...(card.details.notes.length === 0 ? [] : ["", "What is said about it, and not signed:"]),
    ...card.details.notes.flatMap(detailLines),
  ];
}

function authorLines({ proposedBy }: KeptRequest): readonly string[] {
  const words = authorWords(proposedBy);
  return words === null ? [] : [words];
}

/** Beside what runs, because it stands deep in what is signed. */
function replacedLines({ markdown, card }: KeptRequest): readonly string[] {
  const replaced = replacedIn({ markdown, rows: card.details.rows });
  return replaced === null ? [] : [`"${replaced.title}" (run ${replaced.runId}), which failed: ${replaced.why}`];
}

/** A goal runs again and again; everything else when it is approved. */
function whenLines({ kind, projection }: KeptRequest): readonly string[] {
  const read = kind === "plan_approval" ? readProjection(projection) : null;
  return read?.ok === true && read.value.plan.type === "goal" ? [scheduleWords(read.value.plan.schedule)] : [];
}

/** How often and how long the approval would hold; a request that is over asks for none. */
const termsLines = ({ terms }: Card): readonly string[] =>
  terms === undefined ? [] : [termsWords({ uses: terms.maxExecutions, validMs: terms.validMs })];

type Labelled = readonly [string, readonly string[]];

/** What a plan would use; other requests run nothing. */
function effectRows({ budget, capabilities, checks }: Card): readonly Labelled[] {
  if (budget === null || capabilities === null) return [];
  const { commands, files, filesRead, filesWrite, hosts, secretRefs, connections, skills } = capabilities;
  return [
    ["checks", checks.length === 0 ? ["none: its result would be unverified"] : checks.map(checkLine)],
    ["budget", [budgetLine(budget)]],
    ["runs", commands.map(({ by, command, network }) => `${by}: ${command}${reach(network)}`)],
    ["files", files],
    ["may read", filesRead],
    ["may change", filesWrite],
    ["hosts", hosts],
    ["secrets", secretRefs],
    ["uses", connections.map(useLine)],
    ["skills", skills.map(({ name, sha256 }) => `${name} ${sha256 ?? "(no digest)"}`)],
  ];
}

function labelled(label: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${(index === 0 ? label : "").padEnd(LABEL_CHARS)}${line}`);
}

/** Text of several lines keeps them, each behind a mark, so that none can pass for a line of the card. */
function detailLines({ path, kind, text }: Card["details"]["rows"][number]): readonly string[] {
  const lines = neutralise(text).split("\n");
  if (kind === "none" || kind === "empty") return [`  ${oneLine(path)}: (${kind})`];
  if (lines.length === 1) return [`  ${oneLine(path)}: ${oneLine(text)}`];
  return [`  ${oneLine(path)}:`, ...lines.map((line) => `    | ${oneLine(line)}`)];
}

const reach = (network: boolean): string => (network ? " (with network)" : " (no network)");

const useLine = ({ by, skill, connection_id: id, permissions }: Uses[number]): string =>
  `${by}: ${skill}, ${permissions.join(", ")} (${id})`;
type Uses = NonNullable<Card["capabilities"]>["connections"];

const checkLine = ({ name, command, expects, network, timeoutSeconds }: Card["checks"][number]): string =>
  `${name}: ${command} -> ${expects}${reach(network)}, ${timeoutSeconds} s`;

export function stateWords({ state, expiresAt, decidedAt, decidedBy, replacedBy }: KeptRequest): string {
  if (state !== "pending")
    return decidedAt === null ? state : decidedWords({ state, decidedAt, decidedBy, replacedBy });
  return expiresAt === null ? "waits for you; its time has not begun" : `waits for you until ${showMoment(expiresAt)}`;
}
