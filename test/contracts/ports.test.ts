import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Each of these is kept in memory or on the disk, and one suite runs on both. */
const KEPT: Readonly<Record<string, string>> = {
  ApprovalStore: "approval-store",
  AuditLog: "audit-log",
  AuditReader: "audit-log",
  AutonomyStore: "autonomy-store",
  BatchStore: "batch-store",
  ConnectionStore: "connection-store",
  ConsultStore: "consult-store",
  GoalStore: "goal-store",
  JournalStore: "journal-store",
  KeyRegistry: "key-registry",
  MemoryStore: "memory-store",
  MessageStore: "message-store",
  NonceStore: "nonce-store",
  PasskeyStore: "passkey-store",
  RequestLook: "approval-store",
  RunNetworkStore: "work-store",
  SecureInputStore: "secure-input-store",
  SessionStore: "session-store",
  SkillStore: "skill-store",
  StopStore: "stop-store",
  StreamStore: "stream-store",
  SuggestionStore: "suggestion-store",
  TelegramStore: "telegram-store",
  TokenCount: "work-store",
  TurnStore: "turn-store",
  Vault: "vault",
  WorkStore: "work-store",
  WorkTitles: "work-titles",
};

/** What means something only beside a file, so that nothing in memory could stand for it. */
const ON_DISK: Readonly<Record<string, string>> = {
  CustomerContexts: "test/contracts/customers.contract.test.ts",
  HoldStore: "test/contracts/held-database.contract.test.ts",
  Log: "test/contracts/log.contract.test.ts",
};

/** What of the machine stands behind a port; clock, chance and timers have a twin, programs and sockets none. */
const MACHINE: Readonly<Record<string, string>> = {
  BotDoor: "src/shell/gateway/bot-gateway.test.ts",
  BotGateway: "src/shell/gateway/bot-gateway.test.ts",
  ChainVerifier: "src/shell/stores/audit/verify-apart.test.ts",
  Clock: "test/contracts/machine.contract.test.ts",
  EgressDoor: "test/contracts/egress.contract.test.ts",
  EgressGateway: "test/contracts/egress.contract.test.ts",
  ModelGateway: "src/shell/gateway/models/models.test.ts",
  Randomness: "test/contracts/machine.contract.test.ts",
  Sandboxes: "test/contracts/sandbox.contract.test.ts",
  SandboxSpace: "test/contracts/sandbox.contract.test.ts",
  SkillFolders: "src/shell/stores/skills/skill-folders.test.ts",
  Timers: "test/contracts/machine.contract.test.ts",
};

/** What the runtime itself offers: there is one of it, and its tests enter by this door. */
const DOORS: Readonly<Record<string, string>> = {
  ActivityDoor: "src/shell/runtime/audit-activity.test.ts",
  ApprovalsDoor: "src/shell/runtime/approvals/door.test.ts",
  AutonomyDoor: "test/contracts/autonomy.test.ts",
  BatchesDoor: "test/contracts/batches.test.ts",
  BatchViews: "test/contracts/batches.test.ts",
  ChangeFeed: "src/shell/runtime/change-feed.test.ts",
  CurrentLimits: "test/contracts/autonomy.test.ts",
  DeviceKeysDoor: "src/shell/runtime/devices/device-keys.test.ts",
  DoubtsDoor: "sim/doubts.test.ts",
  GateProvider: "src/shell/runtime/gates/providers.test.ts",
  GateRunner: "src/shell/runtime/gates/runner.test.ts",
  GoalsDoor: "sim/goals.test.ts",
  HoldDoor: "test/contracts/held-database.contract.test.ts",
  JournalDoor: "src/shell/runtime/journal-door.test.ts",
  KeysDoor: "src/shell/runtime/keys/door.test.ts",
  MemoryDoor: "test/contracts/memory.test.ts",
  MessagesDoor: "src/shell/runtime/messages/door.test.ts",
  Passkeys: "src/shell/runtime/passkeys/door.test.ts",
  PasskeysDoor: "src/shell/runtime/passkeys/door.test.ts",
  RefusalTally: "src/shell/runtime/audit-tallies.test.ts",
  FaultTally: "src/shell/runtime/audit-tallies.test.ts",
  ReviewFeed: "src/shell/runtime/review-feed.test.ts",
  RunFeed: "sim/flow.test.ts",
  SecretsDoor: "src/shell/runtime/secrets/secrets-door.test.ts",
  Signer: "src/shell/runtime/keys/door.test.ts",
  ConnectionsDoor: "test/contracts/connections.test.ts",
  SkillsDoor: "test/contracts/skills.test.ts",
  StopDoor: "sim/steer.test.ts",
  StreamDoor: "sim/stream.test.ts",
  SuggestionsDoor: "sim/suggest/suggestions.test.ts",
  TimersDoor: "src/engine/timers/loop.test.ts",
  TalkDoor: "src/shell/runtime/talk/talk.test.ts",
  TurnFeed: "src/engine/turn-feed.test.ts",
  WorkDoor: "sim/work.test.ts",
};

function portsIn(): readonly string[] {
  const pages = readdirSync(join(ROOT, "src/shell/ports")).map((name) => `src/shell/ports/${name}`);
  return ["src/shell/ports.ts", ...pages]
    .flatMap((page) => [...read(page).matchAll(/^export interface (\w+)/gm)])
    .map(([, name = ""]) => name)
    .toSorted();
}

/** A suite with the fixture it opens its stores by. */
function suiteText(path: string): string {
  const suite = read(path);
  const fixtures = [...suite.matchAll(/from "(\.\/[\w-]+-fixture\.ts)"/g)].map(([, name = ""]) =>
    join(dirname(path), name),
  );
  return [suite, ...fixtures.map(read)].join("\n");
}

describe("ports", () => {
  test("each is in one of these lists: nothing stands behind the runtime that has no test of its own", () => {
    const listed = [KEPT, ON_DISK, MACHINE, DOORS].flatMap((list) => Object.keys(list));
    expect(portsIn().filter((name) => !listed.includes(name))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    for (const path of [ON_DISK, MACHINE, DOORS].flatMap((list) => Object.values(list)))
      expect(existsSync(join(ROOT, path))).toBe(true);
  });

  test("the suite of whatever keeps something runs in memory and on the disk", () => {
    const keeping = portsIn().filter((name) => /Store$|^Vault$|Registry$|^Audit/.test(name));
    expect(keeping.filter((name) => !(name in KEPT || name in ON_DISK))).toEqual([]);
    for (const [port, suite] of Object.entries(KEPT)) {
      const text = suiteText(`test/contracts/${suite}.contract.test.ts`);
      expect(text, port).toMatch(/describe\.each\(/);
      expect(text, port).toMatch(/"in memory"/);
      expect(text, port).toMatch(/"on disk"/);
    }
  });
});
