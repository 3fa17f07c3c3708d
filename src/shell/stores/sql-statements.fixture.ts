/**
 * Reads every SQL statement of the stores from their source. A call such as `db.all(SQL)` is followed to the texts its first
 * argument can have: through constants, imports, templates, both sides of a condition, and what callers pass in.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "vite";

export type Statement = { readonly sql: string; readonly file: string };
type Collected = {
  readonly statements: readonly Statement[];
  /** Texts that look like SQL and reach no call, and arguments of calls that cannot be followed. */
  readonly missed: readonly string[];
};

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown };
type Scope = { readonly names: Map<string, Binding>; readonly parent: Scope | null; readonly module: Module };
type Binding =
  | { readonly kind: "value"; readonly init: Node; readonly scope: Scope }
  /** With a key where the parameter is taken apart: `({ where }) => ...`. */
  | {
      readonly kind: "parameter";
      readonly of: Node;
      readonly index: number;
      readonly key: string | null;
      readonly scope: Scope;
    }
  /** Each of a list in turn. */
  | { readonly kind: "element"; readonly of: readonly Node[]; readonly scope: Scope }
  | { readonly kind: "import"; readonly path: string; readonly name: string };
type Call = { readonly node: Node; readonly scope: Scope };
type Module = {
  readonly path: string;
  readonly text: string;
  readonly calls: Call[];
  readonly literals: Node[];
};

/** Texts that are put together while running, by `file: source of the expression`; none for what is not a statement. */
export type Given = { readonly [expression: string]: readonly string[] };

const METHODS = new Set(["run", "get", "all", "columns", "insert", "prepare"]);
const DATABASES = new Set(["db", "handle", "database"]);
const LOOKS_LIKE_SQL = /^\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\s/;
const DEPTH_MAX = 40;

export function collectStatements(root: string, given: Given): Collected {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(name))
    .map((name) => join(root, name));
  return collectFrom(new Map(files.map((path) => [path, readFileSync(path, "utf8")])), { root, given });
}

export function collectFrom(
  sources: ReadonlyMap<string, string>,
  { root, given }: { readonly root: string; readonly given: Given },
): Collected {
  const scopes = new Map([...sources].map(([path, text]) => [path, readModule(path, text)]));
  const listed = (node: Node, { path, text }: Module) =>
    given[`${relative(root, path)}: ${text.slice(node.start, node.end)}`];
  const reading: Reading = { scopes, listed, seen: new Set() };
  const statements = new Map<string, Statement>();
  const missed: string[] = [];
  for (const [path, { module }] of scopes) {
    const file = relative(root, path);
    for (const { node, scope } of module.calls.filter(({ node: call }) => isStatementCall(call, module))) {
      const [argument] = node["arguments"] as Node[];
      const texts = argument === undefined ? null : textsOf(reading, argument, { scope, depth: 0 });
      if (texts === null || argument === undefined) missed.push(`${file}: ${sourceOf(argument ?? node, module)}`);
      for (const sql of texts ?? []) statements.set(`${file}\n${sql}`, { sql, file });
    }
  }
  for (const [path, { module }] of scopes) {
    for (const literal of module.literals) {
      if (reading.seen.has(literal) || !LOOKS_LIKE_SQL.test(startOf(literal)) || listed(literal, module)) continue;
      missed.push(`${relative(root, path)}: ${sourceOf(literal, module)}`);
    }
  }
  return { statements: [...statements.values()], missed };
}

const sourceOf = ({ start, end }: Node, { text }: Module): string => text.slice(start, end);

function isStatementCall(call: Node, module: Module): boolean {
  const callee = call["callee"] as Node;
  if (callee.type !== "MemberExpression") return false;
  const [object, property] = [callee["object"] as Node, callee["property"] as Node];
  const receiver = object.type === "MemberExpression" ? (object["property"] as Node) : object;
  return METHODS.has(sourceOf(property, module)) && DATABASES.has(sourceOf(receiver, module));
}

function startOf(literal: Node): string {
  if (literal.type === "Literal") return String(literal["value"]);
  const [first] = literal["quasis"] as { readonly value: { readonly cooked: string } }[];
  return first?.value.cooked ?? "";
}

const nodesIn = (node: Node): readonly Node[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
const isFunction = ({ type }: Node): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";

function readModule(path: string, text: string): Scope {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const module: Module = { path, text, calls: [], literals: [] };
  const scope: Scope = { names: new Map(), parent: null, module };
  visit(program as unknown as Node, scope);
  return scope;
}

function visit(node: Node, outer: Scope): void {
  const { module } = outer;
  const isInner = isFunction(node) || node.type === "BlockStatement";
  const scope = isInner ? { names: new Map<string, Binding>(), parent: outer, module } : outer;
  declare(node, { outer, scope });
  if (node.type === "CallExpression") module.calls.push({ node, scope });
  if (node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node["value"] === "string")) {
    module.literals.push(node);
  }
  for (const child of nodesIn(node)) visit(child, scope);
}

function declare(node: Node, { outer, scope }: { readonly outer: Scope; readonly scope: Scope }): void {
  const { module } = scope;
  if (node.type === "FunctionDeclaration") {
    const name = sourceOf(node["id"] as Node, module);
    outer.names.set(name, { kind: "value", init: node, scope: outer });
  }
  if (node.type === "VariableDeclarator" && isNode(node["init"])) {
    const id = node["id"] as Node;
    if (id.type !== "Identifier") return;
    outer.names.set(String(id["name"]), { kind: "value", init: node["init"], scope: outer });
  }
  if (node.type === "ImportDeclaration") declareImports(node, scope);
  if (node.type === "ForOfStatement") declareElements(node, scope);
  if (node.type === "CallExpression") declareCallback(node, scope);
  if (!isFunction(node)) return;
  for (const [index, parameter] of (node["params"] as Node[]).entries()) {
    const names = parameter.type === "ObjectPattern" ? (parameter["properties"] as Node[]) : [parameter];
    for (const one of names) {
      const name = nameIn(one.type === "Property" ? (one["value"] as Node) : one);
      const key = one.type === "Property" ? nameIn(one["key"] as Node) : null;
      // What a callback is given for each of a list is known already.
      if (name !== null && outer.names.get(name)?.kind !== "element")
        scope.names.set(name, { kind: "parameter", of: node, index, key, scope: outer });
    }
  }
}

const nameIn = (node: Node): string | null => (node.type === "Identifier" ? String(node["name"]) : null);

function declareElements(node: Node, scope: Scope): void {
  const [list, left] = [node["right"] as Node, node["left"] as Node];
  const name = nameIn(((left["declarations"] as Node[] | undefined)?.[0]?.["id"] ?? left) as Node);
  if (list.type !== "ArrayExpression" || name === null) return;
  scope.names.set(name, { kind: "element", of: list["elements"] as Node[], scope });
}

/** `[A, B].flatMap((one) => ...)` */
function declareCallback(node: Node, scope: Scope): void {
  const [callee, [callback]] = [node["callee"] as Node, node["arguments"] as Node[]];
  const list = callee.type === "MemberExpression" ? (callee["object"] as Node) : callee;
  if (list.type !== "ArrayExpression" || callback?.type !== "ArrowFunctionExpression") return;
  const name = nameIn((callback["params"] as Node[])[0] ?? callback);
  if (name !== null) scope.names.set(name, { kind: "element", of: list["elements"] as Node[], scope });
}

function declareImports(node: Node, scope: Scope): void {
  const specifier = String((node["source"] as Node)["value"]);
  if (!specifier.startsWith(".")) return;
  const path = join(dirname(scope.module.path), specifier);
  for (const one of node["specifiers"] as Node[]) {
    const [local, imported] = [one["local"] as Node, one["imported"] as Node | undefined];
    if (imported === undefined) continue;
    scope.names.set(String(local["name"]), { kind: "import", path, name: String(imported["name"]) });
  }
}

type Reading = {
  readonly scopes: ReadonlyMap<string, Scope>;
  readonly listed: (node: Node, module: Module) => readonly string[] | undefined;
  readonly seen: Set<Node>;
};
/** Where an expression stands, and how many steps led to it. */
type Place = { readonly scope: Scope; readonly depth: number };
type Texts = readonly string[] | null;

const find = (name: string, scope: Scope | null): Binding | null =>
  scope === null ? null : (scope.names.get(name) ?? find(name, scope.parent));

/** Every text an expression can have; null where it cannot be followed. */
function textsOf(reading: Reading, node: Node, { scope, depth }: Place): Texts {
  if (depth > DEPTH_MAX) return null;
  const place = { scope, depth: depth + 1 };
  const inner = (one: unknown): Texts => textsOf(reading, one as Node, place);
  const listed = reading.listed(node, scope.module);
  if (listed !== undefined) return listed;
  switch (node.type) {
    case "Literal":
      reading.seen.add(node);
      return ["string", "number"].includes(typeof node["value"]) ? [String(node["value"])] : null;
    case "TemplateLiteral":
      reading.seen.add(node);
      return ofTemplate(node, inner);
    case "ConditionalExpression":
      return union([inner(node["consequent"]), inner(node["alternate"])]);
    case "BinaryExpression":
      return product([inner(node["left"]), inner(node["right"])]);
    case "TSAsExpression":
    case "ParenthesizedExpression":
      return inner(node["expression"]);
    case "Identifier":
      return ofBinding(reading, find(String(node["name"]), scope), place.depth);
    case "MemberExpression":
      return ofMember(reading, node, place);
    case "CallExpression":
      return ofCall(reading, node, place);
    default:
      return null;
  }
}

function ofTemplate(node: Node, inner: (one: unknown) => Texts): Texts {
  const quasis = (node["quasis"] as { readonly value: { readonly cooked: string } }[]).map(({ value }) => value.cooked);
  const parts = (node["expressions"] as Node[]).flatMap((one, index) => [inner(one), [quasis[index + 1] ?? ""]]);
  // Which columns a plain INSERT names changes nothing about how it is carried out.
  if (parts.includes(null) && /^\s*INSERT INTO \w+ \(/.test(quasis[0] ?? "")) return [];
  return product([[quasis[0] ?? ""], ...parts]);
}

/** A property of a constant object. */
function ofMember(reading: Reading, node: Node, { scope, depth }: Place): Texts {
  const found = find(sourceOf(node["object"] as Node, scope.module), scope);
  if (found?.kind !== "value") return null;
  const { init } = found;
  const object = init.type === "TSAsExpression" ? (init["expression"] as Node) : init;
  if (object.type !== "ObjectExpression") return null;
  return ofKey(reading, { object, key: nameIn(node["property"] as Node) }, { scope: found.scope, depth });
}

type Key = { readonly object: Node; readonly key: string | null };

function ofKey(reading: Reading, { object, key }: Key, place: Place): Texts {
  const property = (object["properties"] as Node[]).find((one) => isNode(one["key"]) && nameIn(one["key"]) === key);
  return property === undefined ? null : textsOf(reading, property["value"] as Node, place);
}

function ofBinding(reading: Reading, binding: Binding | null, depth: number): Texts {
  if (binding === null) return null;
  if (binding.kind === "value") return textsOf(reading, binding.init, { scope: binding.scope, depth });
  if (binding.kind === "import") return ofBinding(reading, exported(reading, binding), depth);
  const { scope } = binding;
  if (binding.kind === "element") return union(binding.of.map((one) => textsOf(reading, one, { scope, depth })));
  return union(callsOf(reading, binding.of).map((call) => ofArgument(reading, binding, { call, depth })));
}

const exported = ({ scopes }: Reading, { path, name }: Extract<Binding, { kind: "import" }>): Binding | null =>
  scopes.get(path)?.names.get(name) ?? null;

function madeBy(reading: Reading, { node, scope }: Call): Extract<Binding, { kind: "value" }> | null {
  const found = find(nameIn(node["callee"] as Node) ?? "", scope);
  const made = found?.kind === "import" ? exported(reading, found) : found;
  return made?.kind === "value" ? made : null;
}

const callsOf = (reading: Reading, called: Node): readonly Call[] =>
  [...reading.scopes.values()].flatMap(({ module }) =>
    module.calls.filter((call) => madeBy(reading, call)?.init === called),
  );

type Passed = { readonly call: Call; readonly depth: number };

/** What a call passes in for a parameter. */
function ofArgument(
  reading: Reading,
  { index, key }: Extract<Binding, { kind: "parameter" }>,
  { call: { node, scope }, depth }: Passed,
): Texts {
  const argument = (node["arguments"] as Node[])[index];
  if (argument === undefined) return null;
  if (key === null) return textsOf(reading, argument, { scope, depth });
  return argument.type === "ObjectExpression" ? ofKey(reading, { object: argument, key }, { scope, depth }) : null;
}

/** A function that only puts a text together: what it answers, with what this call passes in. */
function ofCall(reading: Reading, node: Node, { scope, depth }: Place): Texts {
  const made = madeBy(reading, { node, scope });
  if (made?.init.type !== "ArrowFunctionExpression") return null;
  const body = made.init["body"] as Node;
  if (body.type === "BlockStatement") return null;
  const names = new Map<string, Binding>();
  for (const [index, parameter] of (made.init["params"] as Node[]).entries()) {
    const argument = (node["arguments"] as Node[])[index];
    if (argument !== undefined) names.set(String(parameter["name"]), { kind: "value", init: argument, scope });
  }
  return textsOf(reading, body, { scope: { names, parent: made.scope, module: made.scope.module }, depth });
}

function union(all: readonly (readonly string[] | null)[]): readonly string[] | null {
  const texts = all.flatMap((one) => one ?? []);
  return all.length === 0 || all.includes(null) ? null : [...new Set(texts)];
}

/** Every first followed by every second, and so on. */
function product(parts: readonly (readonly string[] | null)[]): readonly string[] | null {
  let texts: readonly string[] = [""];
  for (const part of parts) {
    if (part === null) return null;
    texts = texts.flatMap((text) => part.map((one) => text + one));
  }
  return texts;
}
