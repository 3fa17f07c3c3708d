import { assert, canonicalJson, sha256Hex, type JsonValue, type Sha256Hex } from "#base";

/** A goal's projection, in wire form. */
type Goal = { readonly [field: string]: JsonValue };
type Entry = { readonly [field: string]: JsonValue };

/**
 * What a goal's repairing tasks are made of, as one hash: the template with its placeholder, skills, gates, checks, and
 * those escalations that a failure or a gate can reach. Order and repetition say nothing. [APPR-24] [APPR-26]
 */
export function spawnPolicyHash(goal: Goal): Sha256Hex {
  const policy = {
    failure_context_template: goal["failure_context"] ?? "",
    skills: [...new Set(listIn(goal, "skills"))].toSorted(),
    gates: listIn(goal, "gates").map(canonical).toSorted(),
    verify: listIn(goal, "verify").map(canonical).toSorted(),
    escalation_config: reachedEscalations(goal),
  };
  return sha256Hex(canonical(policy));
}

/** Whether a failing check of this goal begins a task: it says so itself, or by an escalation that does. */
export function spawnsTask(goal: Goal): boolean {
  const { on_failure: name } = goal;
  if (name === "spawn_task") return true;
  const escalations = mapIn(goal, "escalation");
  const found = typeof name === "string" && Object.hasOwn(escalations, name) ? escalations[name] : null;
  return isEntry(found) && found["action"] === "spawn_task";
}

function reachedEscalations(goal: Goal): Entry {
  const escalations = mapIn(goal, "escalation");
  const blocks = listIn(goal, "gates").map((gate) => (isEntry(gate) ? gate["on_block"] : null));
  const reached = new Set([goal["on_failure"], ...blocks]);
  return Object.fromEntries(Object.entries(escalations).filter(([name]) => reached.has(name)));
}

const listIn = (goal: Goal, name: string): readonly JsonValue[] => {
  const list = goal[name];
  return Array.isArray(list) ? (list as readonly JsonValue[]) : [];
};
const mapIn = (goal: Goal, name: string): Entry => {
  const map = goal[name];
  return isEntry(map) ? map : {};
};

function isEntry(value: JsonValue | undefined): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function canonical(value: unknown): string {
  const text = canonicalJson(value);
  assert(text.ok, "APPR-24 a spawn policy has canonical bytes");
  return text.value;
}
