import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, err, ok } from "#base";
import { openCallback } from "#channels";
import { parseYaml } from "#config";
import type { KeptRequest, SandboxRun, SecretRef } from "#model";
import type { KeptConnection, SandboxCommand, Sandboxes, Vault } from "#ports";
import { createConnections, createSecretsDoor, type Connections, type InstalledSkills } from "#runtime";
import { createMemoryVault, openSkillFolders } from "#stores";
import { readManifest, skillFact } from "#work";
import { answerTo, BY } from "../approval-world.ts";
import type { World } from "../disk-run.ts";
import { NEVER_DUE, openWork, until, type Around, type Working } from "../work-world.ts";

export const CONNECTION = "conn-0123456789abcdef";
const ACCESS = `${CONNECTION}.access` as SecretRef;
export const NARROW = "token-that-reads";
export const WIDE = "token-that-writes";

const DOCUMENT = `---
name: notes
description: Connects to the notes service, when somebody asks about notes that are kept there.
type: connection
service: Notes
auth_strategy: device_code
initial_permissions: [notes.read]
available_permissions: [notes.read, notes.write]
script_permissions:
  scripts/list.mjs: [notes.read]
  scripts/add.mjs: [notes.write]
one_time_permissions: true
hosts: [notes.example.com]
credentials:
  access: { host: notes.example.com }
---

# Notes
`;
const SCRIPTS = ["discover", "setup", "refresh_token", "health_check", "recover", "list", "add"];

/** One step, which needs more than the connection has, and has its place outside: nothing of it is done twice. */
export const planFor = (script: "add" | "list"): string => `---
id: task-${script}
type: task
title: Use the notes
skills: [notes]
hosts: [notes.example.com]
budget: { max_attempts: 1 }
steps:
  - name: use
    tool: node_exec
    network: true
    args: { skill: notes, file: scripts/${script}.mjs, connection: ${CONNECTION}, permissions: [notes.${script === "add" ? "write" : "read"}] }
---

# What to do

Use them.
`;

/** The skill as if it had been installed: that is not what is tried here. */
export async function installedIn({ root }: World): Promise<InstalledSkills> {
  const folder = join(root, "skills", "notes");
  mkdirSync(join(folder, "scripts"), { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), DOCUMENT);
  for (const name of SCRIPTS) writeFileSync(join(folder, "scripts", `${name}.mjs`), "process.exit(0);\n");
  const tree = await openSkillFolders(join(root, "skills")).read("notes");
  const manifest = readManifest(DOCUMENT, parseYaml);
  assert(tree.ok && manifest !== null, "the skill can be read");
  return {
    load: async () => ok({ name: "notes", tree: tree.value, manifest }),
    isApproved: async () => ok(true),
    factsFor: async () => ok([skillFact("notes", tree.value.digest)]),
  };
}

/** What is outside of the file that is cut: what the service saw, and what the vault holds. */
export type Outside = {
  /** With which token each call of a step came. */
  readonly used: string[];
  /** How often somebody signed in for more. */
  signIns: number;
  access: string;
};
export type NotesHost = Sandboxes & {
  /** Signing in goes on when this is said; `null` until then. */
  answer: "give" | "refuse" | null;
  /** A look at the connection answers when this is over, with whether it is healthy. */
  looks: Promise<boolean>;
  /** What is handed over when somebody signed in. */
  token: string;
};

/** Scripts of the skill, played: the real ones run in the real sandbox in the contract of permissions. */
export function playHost(root: string, outside: Outside): NotesHost {
  let opened = 0;
  const nothing = { bytes: new Uint8Array(), isTruncated: false };
  const service: NotesHost = {
    answer: null,
    looks: Promise.resolve(true),
    token: WIDE,
    support: async () => ({ state: "ready", backend: "subprocess", version: "played" }),
    close: async () => {},
    open: async () => {
      opened += 1;
      const workspace = join(root, `space-${opened}`);
      mkdirSync(workspace, { recursive: true });
      let isClosed = false;
      return ok({
        id: `space-${opened}`,
        workspace,
        close: async () => void (isClosed = true),
        run: async (command) => {
          const program = command.argv.at(-1) ?? "";
          if (program.endsWith("setup.mjs")) {
            outside.signIns += 1;
            signIn(command, { say: "shown", token: "" });
            await until(() => service.answer !== null || isClosed);
            if (!isClosed && service.answer !== null) signIn(command, { say: service.answer, token: service.token });
          } else if (/(list|add)\.mjs$/.test(program)) {
            const [credential] = command.network?.credentials ?? [];
            outside.used.push((await credential?.reveal()) ?? "nothing");
          }
          const said = program.endsWith("health_check.mjs") ? lookedAt(await service.looks) : "";
          if (isClosed) return err({ code: "sandbox_closed" });
          const end: SandboxRun["end"] = { kind: "exit", code: 0 };
          const stdout = { ...nothing, bytes: Buffer.from(said) };
          return ok({ end, stdout, stderr: nothing, durationMs: 1 });
        },
      });
    },
  };
  return service;
}

const lookedAt = (healthy: boolean): string =>
  `${JSON.stringify({ healthy, token_expires_at: null, latency_ms: 1, error: healthy ? null : "gone" })}\n`;

type SigningIn = { readonly say: "shown" | "give" | "refuse"; readonly token: string };

function signIn(command: SandboxCommand, { say, token }: SigningIn): void {
  const line = (said: object): void => command.onLine?.({ stream: "stdout", text: JSON.stringify(said) });
  if (say === "shown") {
    command.onInput?.({ say: () => {}, end: () => {} });
    const code = { user_code: "WXYZ-1234", verification_url: "https://notes.example.com/go" };
    return line({
      type: "setup_step",
      step_id: "code",
      step: { type: "device_code", ...code, expires_in: 60, poll_interval: 1 },
    });
  }
  if (say === "refuse") {
    const failure = { failure_type: "consent_denied", service: "Notes", message: "No.", recovery_options: [] };
    return line({ type: "failure", failure });
  }
  command.handsBack?.take(Buffer.from(`${JSON.stringify({ name: "access", value: token })}\n`));
  const permissions_granted = ["notes.read", "notes.write"];
  line({
    type: "completion",
    connection_payload: { name: "Notes of Ada", permissions_granted, token_expires_at: null },
  });
}

/** The vault, with what opens the connection told outside. */
export const vaultWith = (vault: Vault, outside: Outside): Vault => ({
  ...vault,
  put: async (ref, secret) => {
    const put = await vault.put(ref, secret);
    if (put.ok && ref === ACCESS) outside.access = Buffer.from(secret).toString("utf8");
    return put;
  },
});

/** The vault as it was in the moment of a cut; the key that signs is there all along. */
export async function vaultAt(vault: Vault, access: string): Promise<Vault> {
  const copy = createMemoryVault();
  const refs = await vault.list();
  for (const ref of refs.ok ? refs.value : []) {
    const got = await vault.get(ref);
    if (got.ok) await copy.put(ref, ref === ACCESS ? Buffer.from(access) : got.value);
  }
  return copy;
}

export type Connecting = Working & {
  readonly connections: Connections;
  readonly keep: () => Promise<void>;
};
export type ConnectingParts = {
  readonly dataDir: string;
  readonly vault: Vault;
  readonly service: NotesHost;
  readonly skills: InstalledSkills;
  readonly onStatement?: (sql: string) => void;
};

/** Work and connections of one Silas, on a real file. */
export async function openConnecting(world: World, { service, ...parts }: ConnectingParts): Promise<Connecting> {
  const { skills, vault } = parts;
  let made: { readonly connections: Connections; readonly keep: () => Promise<void> } | null = null;
  const connect = ({ trust, review, sandboxes, log }: Around): Connections["uses"] => {
    const { stores, approvals: proposals } = trust;
    const { clock, seeded: randomness } = world;
    const secrets = createSecretsDoor({ vault, inputs: stores.secureInputs, clock, onChanged: review.changed });
    const connections = createConnections({
      stores,
      config: CONFIG,
      approvals: stores.approvals,
      registry: stores.keys,
      audit: stores.audit,
      installed: skills,
      sandboxes,
      proposals,
      secrets,
      vault,
      review,
      clock,
      randomness,
      log,
      timers: { after: () => () => {} },
      openCallback,
    });
    const keep = async (): Promise<void> => {
      const loaded = await skills.load("notes");
      assert(loaded.ok, "the skill can be used");
      const kept = await stores.connections.keep(connected(loaded.value.tree.digest, clock.now()), null);
      const guidance = { instructions: "The connection uses it.", helpUrl: null };
      const wanted = { refId: ACCESS, label: "Notes access", inputHint: null, guidance, host: "notes.example.com:443" };
      const asked = await secrets.ask(wanted, BY);
      const stored = await secrets.store({ refId: ACCESS, secret: Buffer.from(NARROW), actor: BY });
      assert(kept.ok && asked.ok && stored.ok, "a connection is kept");
    };
    made = { connections, keep };
    return connections.uses;
  };
  const follow = (decision: KeptRequest): Promise<void> => working.work.decisions.follow(decision);
  const others = () => ({ connections: whole.connections });
  const working: Working = await openWork(world, { ...parts, sandboxes: service, connect, follow, others });
  assert(made !== null, "work is made with its connections");
  const whole = made as { readonly connections: Connections; readonly keep: () => Promise<void> };
  return { ...working, ...whole };
}

const CONFIG = {
  connections: {
    refreshAheadWindowMinutes: 10,
    autoRecoveryEnabled: true,
    recoveryMaxAttempts: 3,
    healthCheckDefault: "0 * * * *",
  },
  sandbox: { defaultMemoryMb: 512, defaultCpuSeconds: 60 },
  scheduler: NEVER_DUE.scheduler,
};

const connected = (treeDigest: string, at: KeptConnection["registeredAt"]): KeptConnection => ({
  record: {
    connectionId: CONNECTION,
    name: "Notes of Ada",
    domain: "personal",
    skillName: "notes",
    authStrategy: "device_code",
    permissions: ["observe"],
    permissionsGranted: ["notes.read"],
    permissionsAvailable: ["notes.read", "notes.write"],
    initialPermissions: ["notes.read"],
    status: "active",
    healthCheck: "0 * * * *",
    tokenExpiresAt: null,
    refreshTokenExpiresAt: null,
    lastHealthCheck: null,
    lastRefresh: null,
  },
  service: "Notes",
  treeDigest,
  hint: { name: null, email: null, domain: null },
  requestId: null,
  probe: "probed",
  summary: null,
  failure: null,
  attempts: 0,
  registeredAt: at,
  widens: null,
});

/** What the owner says about a request for more. */
export type Answering = { readonly request: KeptRequest; readonly says: "approved" | "once" | "declined" };

export async function answer({ trust, review }: Connecting, { request, says }: Answering): Promise<void> {
  const verdict = says === "declined" ? "declined" : "approved";
  const more = says === "once" ? { answer: { duration: "once" as const } } : {};
  const decided = await trust.approvals.decide({ ...answerTo(request, verdict), ...more });
  assert(decided.ok, `an answer is taken: ${JSON.stringify(decided)}`);
  review.changed();
}

/** The request for more, once it waits. */
export async function askedIn(connecting: Connecting): Promise<KeptRequest> {
  let request: KeptRequest | null = null;
  await until(async () => (request = await waitingIn(connecting)) !== null);
  assert(request !== null, "more is asked for");
  return request;
}

/** The request for more that waits, if one does. */
export async function waitingIn({ trust }: Connecting): Promise<KeptRequest | null> {
  const inbox = await trust.approvals.inbox();
  assert(inbox.ok, "the inbox can be read");
  return inbox.value.find(({ kind }) => kind === "permission_escalation") ?? null;
}
