/** Plants one fault at a time in a source text: the small mistakes that a good test notices. */
import { createHash } from "node:crypto";
import { parseSync } from "vite";
import { REACHED_MARKS } from "./reached.ts";

export const FAULT_KINDS = [
  "negated condition",
  "dropped call",
  "moved boundary",
  "dropped guard",
  "removed await",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export type Mutant = {
  readonly path: string;
  readonly kind: FaultKind;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The whole expression or statement that the fault is in. */
  readonly within: { readonly start: number; readonly end: number; readonly form: "expression" | "statement" };
  readonly line: number;
  /** The code that the fault is planted in, on one line. */
  readonly original: string;
  /** Why nobody could observe this fault; null for a real one. */
  readonly equivalent: string | null;
};

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown };
type Edit = Pick<Mutant, "kind" | "start" | "end" | "replacement" | "within">;
type Place = { readonly source: string; readonly parents: readonly Node[] };

const MOVED: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const LEAVES = new Set(["ReturnStatement", "ThrowStatement", "ContinueStatement"]);

export function mutantsOf(path: string, source: string): readonly Mutant[] {
  const edits: (Edit & { readonly around: Node; readonly parents: readonly Node[] })[] = [];
  walk(parseSync(path, source).program as unknown as Node, [], (node, parents) =>
    edits.push(...editsOf(node, { source, parents }).map((edit) => ({ ...edit, around: node, parents }))),
  );
  return edits.map(({ around, parents, ...edit }) => ({
    ...edit,
    equivalent: equivalence(edit.kind, [around, ...parents]),
    path,
    line: source.slice(0, edit.start).split("\n").length,
    original: source.slice(around.start, around.end).replaceAll(/\s+/g, " "),
  }));
}

export function plant(source: string, { start, end, replacement }: Mutant): string {
  return `${source.slice(0, start)}${replacement}${source.slice(end)}`;
}

/** The source with every one of these places marked by its number; what the code does stays the same. */
export function markPlaces(source: string, places: ReadonlyMap<number, Mutant>): string {
  const marks = [...places].flatMap(([number, { within }]) => {
    const call = `globalThis.${REACHED_MARKS}?.add(${number})`;
    const [open, close] = within.form === "expression" ? [`(${call}, `, ")"] : [`{ ${call}; `, " }"];
    const size = within.end - within.start;
    return [
      { at: within.start, text: open, rank: -size, number },
      { at: within.end, text: close, rank: size, number: -number },
    ];
  });
  // Of marks that begin at one place the longest comes first, and of those that end there the shortest; an end comes
  // before a beginning.
  const ordered = marks.toSorted((a, b) => a.at - b.at || endsFirst(a, b) || a.rank - b.rank || a.number - b.number);
  let text = "";
  let from = 0;
  for (const mark of ordered) {
    text += source.slice(from, mark.at) + mark.text;
    from = mark.at;
  }
  return text + source.slice(from);
}

type Mark = { readonly rank: number };
const endsFirst = (a: Mark, b: Mark): number => Number(a.rank < 0) - Number(b.rank < 0);

/** The same seed picks the same faults from the same sources, as many of each kind as of the others. */
export function pickMutants(
  mutants: readonly Mutant[],
  { seed, count }: { readonly seed: string; readonly count: number },
): readonly Mutant[] {
  const byKind = FAULT_KINDS.map((kind) =>
    mutants
      .filter((mutant) => mutant.kind === kind)
      .map((mutant) => ({ mutant, rank: rankOf(seed, mutant) }))
      .toSorted((a, b) => (a.rank === b.rank ? a.mutant.start - b.mutant.start : a.rank < b.rank ? -1 : 1))
      .map(({ mutant }) => mutant),
  );
  const longest = Math.max(...byKind.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) => byKind.flatMap((kind) => kind.slice(round, round + 1)))
    .flat()
    .slice(0, count);
}

/** The line number is left out, so that a change elsewhere in a file keeps the file's other ranks. */
function rankOf(seed: string, { path, kind, original }: Mutant): string {
  return createHash("sha256").update(`${seed}\0${path}\0${kind}\0${original}`).digest("hex");
}

type Visit = (node: Node, parents: readonly Node[]) => void;

/** The nearest parent comes first. */
function walk(node: Node, parents: readonly Node[], visit: Visit): void {
  visit(node, parents);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, [node, ...parents], visit);
    }
  }
}

function equivalence(kind: FaultKind, [node, parent]: readonly Node[]): string | null {
  const isOrder = kind === "moved boundary" && parent !== undefined && isComparison(parent, node);
  return isOrder ? "decides only the order of two that are equal" : null;
}

/** `a < b ? -1 : 1` */
function isComparison({ type, test, consequent, alternate }: Node, inner: Node | undefined): boolean {
  if (type !== "ConditionalExpression" || inner === undefined || test !== inner) return false;
  return isSign(consequent) && isSign(alternate);
}

const isSign = (value: unknown): boolean => isNode(value) && (value["value"] === 1 || isMinusOne(value));

const isMinusOne = ({ type, operator, argument }: Node): boolean =>
  type === "UnaryExpression" && operator === "-" && isNode(argument) && argument["value"] === 1;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

function editsOf(node: Node, place: Place): readonly Edit[] {
  switch (node.type) {
    case "IfStatement":
      return [...negated(node, place), ...droppedGuard(node)];
    case "ConditionalExpression":
      return negated(node, place);
    case "ExpressionStatement":
      return droppedCall(node, place);
    case "BinaryExpression":
      return movedBoundary(node, place);
    case "AwaitExpression":
      return removedAwait(node, place);
    default:
      return [];
  }
}

function negated(node: Node, { source }: Place): readonly Edit[] {
  const { start, end } = node.test as Node;
  const within = { start, end, form: "expression" } as const;
  return [{ kind: "negated condition", start, end, replacement: `!(${source.slice(start, end)})`, within }];
}

function droppedGuard({ start, end, alternate, consequent }: Node): readonly Edit[] {
  const then = consequent as Node;
  const only = then.type === "BlockStatement" ? (then.body as readonly Node[]) : [then];
  const last = only.at(-1);
  if (isNode(alternate) || last === undefined || !LEAVES.has(last.type)) return [];
  return [{ kind: "dropped guard", start, end, replacement: "{}", within: { start, end, form: "statement" } }];
}

/** An assertion only notices a bug that is not there, so that no test can miss it. */
function droppedCall({ start, end, expression }: Node, { source }: Place): readonly Edit[] {
  const inner = expression as Node;
  const call = inner.type === "AwaitExpression" ? (inner.argument as Node) : inner;
  if (call.type !== "CallExpression" || source.slice(call.start, call.end).startsWith("assert(")) return [];
  return [{ kind: "dropped call", start, end, replacement: "{}", within: { start, end, form: "statement" } }];
}

function movedBoundary({ start: first, end: last, left, right, operator }: Node, { source }: Place): readonly Edit[] {
  const moved = MOVED[operator as string];
  if (moved === undefined) return [];
  const [start, end] = [(left as Node).end, (right as Node).start];
  const within = { start: first, end: last, form: "expression" } as const;
  const replacement = source.slice(start, end).replace(/[<>]=?/, moved);
  return [{ kind: "moved boundary", start, end, replacement, within }];
}

/** A promise that is returned is awaited by the caller, with and without the word. */
function removedAwait({ start, end, argument }: Node, { parents: [parent] }: Place): readonly Edit[] {
  if (parent?.type === "ReturnStatement" || parent?.type === "ArrowFunctionExpression") return [];
  const within = { start, end, form: "expression" } as const;
  return [{ kind: "removed await", start, end: (argument as Node).start, replacement: "", within }];
}
