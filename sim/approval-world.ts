import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert, err, ok, sha256Hex } from "#base";
import { parseYaml } from "#config";
import { grantsOf, planProposalText, type KeptRequest } from "#model";
import { createAuditRules } from "#policy";
import type { ApprovalsDoor, OwnerAnswer, Passkeys, Signer, Vault } from "#ports";
import {
  createApprovalsDoor,
  createDecidedPlans,
  createKeysDoor,
  createSigner,
  systemEd25519,
  type InstalledSkills,
} from "#runtime";
import type { RuntimeStores } from "#stores";
import type { World } from "./disk-run.ts";
import { openMigratedRuntime } from "./laid/migrated.ts";

export const RUNTIME_FILE = "silas.db";
export const BY = { kind: "terminal" } as const;
export const TIMEOUT_MS = 300_000;

export const PLAN = `---
id: task-sim
type: task
title: Tidy the notes
steps:
  - { name: gather, tool: file_write, args: { path: notes.md, content: Notes } }
verify:
  - name: page exists
    run: test -s notes.md
    expect: { exit_code: 0 }
---

# What to do

Gather the notes into notes.md.
`;

const task = (name: string): string => PLAN.replace("id: task-sim", `id: task-${name}`);
/** One approval of it becomes three tokens, each used at once. */
export const PROJECT = planProposalText({
  plan: `---
id: project-sim
type: project
title: Tidy everything
tasks: [task-one, task-two]
---

# What to do

Both.
`,
  tasks: [task("one"), task("two")],
  standing: null,
});
/** One approval of it becomes two tokens, the second kept for later. */
export const GOAL = planProposalText({
  plan: PLAN.replace(
    "id: task-sim\ntype: task",
    'id: goal-sim\ntype: goal\nschedule: "0 * * * *"\non_failure: spawn_task',
  ),
  tasks: [],
  standing: { max_executions: 5, expires_at: "2030-01-01T00:00:00.000Z" },
});

export type Trust = {
  readonly stores: RuntimeStores;
  readonly approvals: ApprovalsDoor;
  /** Commits a decision and ends there, as a process that is killed. */
  readonly cutOff: ApprovalsDoor;
  readonly signer: Signer;
  /** For the work of the same process. */
  readonly decided: ReturnType<typeof createDecidedPlans>;
};
export type TrustOpening = {
  readonly dataDir: string;
  /** Outlives every crash: it is no part of the disk that is cut. */
  readonly vault: Vault;
  readonly onStatement?: (sql: string) => void;
  /** Stands between the engine and the owner's key. */
  readonly through?: (signer: Signer) => Signer;
  /** What the configuration says of the limits of autonomy; without it no change of them is approved. */
  readonly limits?: Parameters<typeof createApprovalsDoor>[0]["settings"]["limits"];
  /** What is installed; nothing unless this says so. */
  readonly skills?: InstalledSkills;
  /** Sees each text of a plan that is parsed. */
  readonly readYaml?: typeof parseYaml;
  /** Waits for what follows from a decision; nothing does unless this says so. */
  readonly follow?: (decision: KeptRequest) => Promise<void>;
};

/** Everything between a plan and a used approval, on a real file. */
export async function openTrust({ clock, seeded }: World, opening: TrustOpening): Promise<Trust> {
  const {
    dataDir,
    vault,
    onStatement,
    through = (own: Signer) => own,
    skills = NO_SKILLS,
    readYaml = parseYaml,
  } = opening;
  const auditRules = createAuditRules(sha256Hex, systemEd25519);
  const opened = await openMigratedRuntime({
    dataDir,
    clock,
    random: seeded,
    auditRules,
    onRuntimeStatement: onStatement,
  });
  assert(opened.ok, `silas.db opens: ${opened.ok ? "" : JSON.stringify(opened.error)}`);
  const stores = opened.value;
  const parts = { vault, registry: stores.keys, clock, randomness: seeded };
  const signer = createSigner(parts);
  const prepared = await createKeysDoor({ ...parts, signer, audit: stores.audit }).prepare();
  assert(prepared.ok, "there is a signing key");
  const settings = {
    timeoutMs: TIMEOUT_MS,
    ttlMs: 1_800_000,
    maxExecutions: 1,
    standingUsesMax: 100,
    // The clock of lives that are killed is the real one, and on a busy machine a life may begin minutes after the last.
    undoWindowSeconds: 3_600,
    webSearch: "ready" as const,
    model: "ready" as const,
    fatigueDecisions: 20,
    ...(opening.limits === undefined ? {} : { limits: opening.limits }),
  };
  const { approvals: store, audit } = stores;
  const decided = createDecidedPlans();
  const door = {
    ...parts,
    ...NOTHING_FOLLOWS,
    signer: through(signer),
    store,
    audit,
    runs: stores.work,
    passkeys: NO_PASSKEYS,
    skills,
    readYaml,
    decided,
    settings,
  };
  const { follow = NOTHING_FOLLOWS.follow } = opening;
  return {
    stores,
    approvals: createApprovalsDoor({ ...door, follow }),
    cutOff: createApprovalsDoor(door),
    signer,
    decided,
  };
}

export function answerTo({ requestId, planHash }: KeptRequest, verdict: OwnerAnswer["verdict"]): OwnerAnswer {
  return { requestId, verdict, shownHash: planHash, friction: ["tap", "confirm", "slide"], actor: BY };
}

type Counts = {
  readonly requests: number;
  readonly tokens: number;
  readonly uses: number;
  readonly attempts: number;
  readonly granted: number;
  readonly standing: number;
  readonly given: number;
  readonly declined: number;
  readonly expired: number;
  readonly declinedRequests: number;
  readonly expiredRequests: number;
};

const of = (table: string): string => `(SELECT count(*) FROM ${table})`;
const inState = (state: string): string => `(SELECT count(*) FROM pending_decisions WHERE state = '${state}')`;
const said = (event: string): string => `(SELECT count(*) FROM audit_entries WHERE event = 'approval_${event}')`;

/** What the file holds, read past the store. */
export function countRows(dataDir: string): Counts {
  const database = new DatabaseSync(join(dataDir, RUNTIME_FILE));
  try {
    const row = database
      .prepare(
        `SELECT ${of("pending_decisions")} AS requests, ${of("approval_tokens")} AS tokens,
           ${of("approval_uses")} AS uses, ${of("attempt_lineages")} AS attempts,
           ${said("granted")} AS granted, ${said("standing")} AS standing, ${of("decision_tokens")} AS given,
           ${said("declined")} AS declined, ${said("expired")} AS expired,
           ${inState("declined")} AS declinedRequests, ${inState("expired")} AS expiredRequests`,
      )
      .get();
    return { ...row } as Counts;
  } finally {
    database.close();
  }
}

/** What must hold whatever was cut: a decision with everything that belongs to it, or nothing of it. */
export async function checkTrust({ stores }: Trust, dataDir: string): Promise<void> {
  const counts = countRows(dataDir);
  const listed = await stores.approvals.list(["pending", "approved", "declined", "expired"]);
  assert(listed.ok, "requests can be read");
  const grants = listed.value.filter(({ state }) => state === "approved").flatMap((one) => grantsOf(one) ?? []);
  const later = grants.filter(({ scope }) => scope === "standing").length;
  const { tokens, given, uses, attempts, granted, standing } = counts;
  assert(
    [tokens, given].every((count) => count === grants.length) &&
      [uses, attempts, granted].every((count) => count === grants.length - later) &&
      standing === later,
    `APPR-17 approvals, uses, attempts and entries come together: ${JSON.stringify({ grants, ...counts })}`,
  );
  // By the file alone: the list has just ended what is over.
  assert(
    counts.declined === counts.declinedRequests && counts.expired === counts.expiredRequests,
    "AUD-06 each end is recorded",
  );
  const verdict = await stores.audit.verify("genesis");
  assert(verdict.ok && verdict.value.valid, "AUD-02 the chain holds");
}

/** Where no passkey can be asked for: nothing is demanded of it and nothing counts as one. */
export const NO_PASSKEYS: Passkeys = {
  availableFor: async () => ok(false),
  challengeFor: async () => err({ code: "passkey_missing" }),
  verify: async () => err({ code: "passkey_missing" }),
};

/** Approvals alone: no secret is asked for, and nobody waits for what follows. */
export const NOTHING_FOLLOWS = {
  secrets: { list: async () => ok([]), ask: async () => err({ code: "too_many_asked" as const, max: 0 }) },
  follow: async () => {},
};

const notInstalled = (name: string) =>
  err({ code: "skill_unusable", name, reason: "not_installed", about: "" } as const);

/** Where nothing is installed: whatever lists a skill is refused. */
export const NO_SKILLS: InstalledSkills = {
  load: async (name) => notInstalled(name),
  isApproved: async () => ok(false),
  factsFor: async (works) => {
    const [name] = works.flatMap(({ skills }) => skills);
    return name === undefined ? ok([]) : notInstalled(name);
  },
};
