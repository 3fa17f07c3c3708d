/** The queue as a plain list, to hold the real one against. */
export const DELIVERIES_MAX = 3;
export const LEASE_SECONDS = 60;
/** The scope follows from the id, so that an id always stands for the same message. */
export const scopeOf = (id: string): string => (id.charCodeAt(0) % 2 === 0 ? "even" : "odd");

type Row = {
  readonly id: string;
  state: "waiting" | "leased" | "dead";
  readySeconds: number;
  deliveries: number;
  fence: number;
  holder: string;
  untilSeconds: number;
};
export type ModelQueue = { rows: Row[]; readonly handled: Set<string>; readonly died: string[]; seconds: number };
type Lease = { readonly id: string; readonly fence: number };

export const emptyModel = (): ModelQueue => ({ rows: [], handled: new Set(), died: [], seconds: 0 });

export function enqueue(model: ModelQueue, id: string): "added" | "known" {
  if (model.handled.has(id) || model.rows.some((row) => row.id === id)) return "known";
  const counts = { deliveries: 0, fence: 0, untilSeconds: 0, readySeconds: model.seconds };
  model.rows.push({ id, state: "waiting", holder: "", ...counts });
  return "added";
}

export function lease(
  model: ModelQueue,
  { holder, countMax }: { readonly holder: string; readonly countMax: number },
): readonly Row[] {
  for (const row of model.rows)
    if (row.state === "leased" && row.untilSeconds <= model.seconds) release(model, row, DELIVERIES_MAX);
  const ready = firstsOf(model).filter(({ state }) => state === "waiting");
  const chosen = ready.toSorted((a, b) => a.readySeconds - b.readySeconds).slice(0, countMax);
  for (const row of chosen) {
    Object.assign(row, { state: "leased", holder, untilSeconds: model.seconds + LEASE_SECONDS });
    row.fence += 1;
    row.deliveries += 1;
  }
  return chosen;
}

export function prolong(model: ModelQueue, one: Lease): boolean {
  const row = heldRow(model, one);
  if (row !== undefined) row.untilSeconds = model.seconds + LEASE_SECONDS;
  return row !== undefined;
}

export function settle(model: ModelQueue, one: Lease, derived: string | null): boolean {
  const row = heldRow(model, one);
  if (row === undefined || row.untilSeconds <= model.seconds) return false;
  promoting(model, () => (model.rows = model.rows.filter((other) => other !== row)));
  model.handled.add(row.id);
  if (derived !== null) enqueue(model, derived);
  return true;
}

export function giveBack(model: ModelQueue, one: Lease, how: string): "ready" | "dead" | "lost" {
  const row = heldRow(model, one);
  if (row === undefined) return "lost";
  if (how !== "unused") return release(model, row, how === "hopeless" ? 0 : DELIVERIES_MAX);
  putBack(row);
  return "ready";
}

export function recover(model: ModelQueue, holder: string): void {
  for (const row of model.rows) if (row.state === "leased" && row.holder === holder) putBack(row);
}

/** The first of each scope that is not dead: the others wait behind it. */
function firstsOf({ rows }: ModelQueue): readonly Row[] {
  const live = rows.filter(({ state }) => state !== "dead");
  return live.filter((row) => live.find(({ id }) => scopeOf(id) === scopeOf(row.id)) === row);
}

/** A message is ready since the moment it became the first of its scope. */
function promoting(model: ModelQueue, change: () => unknown): void {
  const before = new Set(firstsOf(model));
  change();
  for (const row of firstsOf(model)) if (!before.has(row)) row.readySeconds = model.seconds;
}

function release(model: ModelQueue, row: Row, deliveriesMax: number): "ready" | "dead" {
  const isDead = row.deliveries >= deliveriesMax;
  promoting(model, () => (row.state = isDead ? "dead" : "waiting"));
  if (isDead) model.died.push(row.id);
  return isDead ? "dead" : "ready";
}

function putBack(row: Row): void {
  row.state = "waiting";
  row.deliveries -= 1;
}

const heldRow = ({ rows }: ModelQueue, { id, fence }: Lease): Row | undefined =>
  rows.find((row) => row.id === id && row.fence === fence && row.state === "leased");
