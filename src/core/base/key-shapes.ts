import { isWellFormed } from "./text.ts";

/**
 * How to write the keys of one kind of record: `order` holds the positions of its keys in code unit order, and `leads`
 * four texts per sorted key: the key itself, the key before an unescaped string, and both again after one.
 */
type KeyShape = { readonly order: readonly number[]; readonly leads: readonly string[] };

/** The shape of an object with these keys in this order; null when a key holds a lone surrogate. */
export function shapeOf(keys: readonly string[]): KeyShape | null {
  if (keys.length > KEYS_REMEMBERED) return createShape(keys);
  let node = root;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    node = node.key === key && node.child !== null ? node.child : step(node, key);
  }
  node.shape ??= rememberShape(keys);
  return node.shape;
}

// Records of one kind carry the same keys in the same order, so sorting and quoting them is done once. The memory is
// a tree with one step per key; like the engine's own hidden classes, most nodes have a single child, kept inline.
type Node = { key: string | null; child: Node | null; others: Map<string, Node> | null; shape: KeyShape | null };

// Objects with more keys are dictionaries; each would be a shape of its own.
const KEYS_REMEMBERED = 64;
// Characters held by the tree before it starts anew: keys can come from outside, so the memory must not grow with them.
const WEIGHT_MAX = 1_000_000;
const NODE_WEIGHT = 32;

let root = createNode();
let weight = 0;

function createNode(): Node {
  return { key: null, child: null, others: null, shape: null };
}

function step(node: Node, key: string): Node {
  const known = node.others?.get(key);
  if (known !== undefined) return known;
  const child = createNode();
  if (node.key === null) {
    node.key = key;
    node.child = child;
  } else {
    node.others ??= new Map();
    node.others.set(key, child);
  }
  grow(key.length + NODE_WEIGHT);
  return child;
}

function rememberShape(keys: readonly string[]): KeyShape | null {
  const shape = createShape(keys);
  for (const key of keys) grow(4 * (key.length + NODE_WEIGHT));
  return shape;
}

// The walk that crosses the limit finishes on the old tree, which then falls away as a whole.
function grow(chars: number): void {
  weight += chars;
  if (weight <= WEIGHT_MAX) return;
  root = createNode();
  weight = 0;
}

function createShape(keys: readonly string[]): KeyShape | null {
  if (!keys.every(isWellFormed)) return null;
  const positions = new Map(keys.map((key, index) => [key, index]));
  const sorted = keys.toSorted();
  const leads = sorted.flatMap((key, index) => {
    const lead = `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`;
    return [lead, `${lead}"`, `"${lead}`, `"${lead}"`];
  });
  return { order: sorted.map((key) => positions.get(key) as number), leads };
}
