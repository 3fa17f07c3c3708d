/**
 * compose: the only place that knows which adapter stands behind which port.
 *
 * Holds no logic. The order is that of effects: the lock first, so that nobody else writes; then files and their
 * migrations; then the runtime; the server listens last (MIG-07). What fails takes back what came before it.
 */
import { fileURLToPath } from "node:url";
import { err, ok, type Result } from "#base";
import {
  createTelegram,
  createWebServer,
  loadTls,
  openCallback,
  randomToken,
  webSettings,
  type ListenRefusal,
  type LoadedTls,
  type Telegram,
  type TlsUnreadable,
} from "#channels";
import { parseYaml } from "#config";
import type { Job } from "#engine";
import { createBotGateway, createEgressGateway, createModels, type Network } from "#gateway";
import { coalesce } from "#journal";
import type { Config } from "#model";
import { createAuditRules } from "#policy";
import type {
  ApprovalsDoor,
  Clock,
  DeviceKeysDoor,
  FaultTally,
  HoldDoor,
  JournalDoor,
  KeysDoor,
  Log,
  MemoryDoor,
  MessagesDoor,
  PasskeysDoor,
  Randomness,
  ReviewFeed,
  Sandboxes,
  SecretsDoor,
  SkillsDoor,
  Timers,
} from "#ports";
import {
  approvalSettings,
  createActivityDoor,
  createApprovalsDoor,
  createAuditLife,
  createChangeFeed,
  createConnections,
  createDecidedPlans,
  createDeviceKeys,
  createHoldDoor,
  createInstalledSkills,
  createJournalDoor,
  createKeysDoor,
  createMemory,
  createMessages,
  createPasskeysDoor,
  createPlanner,
  createReviewFeed,
  createSecretsDoor,
  createSigner,
  createSkills,
  createSystemGates,
  createTallies,
  createWork,
  findSecrets,
  nonceJob,
  prepareKeys,
  systemClock,
  systemEd25519,
  systemRandomness,
  systemSha256,
  systemTimers,
  withAuditedTransfers,
  withReviewFeed,
  withStop,
  withoutSecrets,
  type AuditLife,
  type Connections,
  type Work,
} from "#runtime";
import { createSandboxes, sweepSandboxes } from "#sandbox";
import {
  acquireInstanceLock,
  createChainVerifier,
  openCustomerFiles,
  openLogFile,
  openSkillFolders,
  openStores,
  openVault,
  type InstanceLock,
  type LogFile,
  type StartFault,
  type Stores,
  type VaultAccess,
} from "#stores";

/** What comes from the machine; a test puts its own in place. */
type Machine = { readonly clock: Clock; readonly randomness: Randomness; readonly timers: Timers };

export type ComposeOptions = {
  readonly config: Config;
  /** Where logs go, and the key of a vault without a passphrase. */
  readonly stateDir: string;
  /** How the vault may be opened; without it, by its key file alone. */
  readonly vault?: VaultAccess;
  readonly machine?: Partial<Machine>;
  /** How the open internet is reached; what may be reached there is judged before. */
  readonly network?: Network;
  /** Sees each statement of both files before it runs; used by the simulation. */
  readonly onStatement?: (sql: string) => void;
};
/** Verbs of the terminal report faults themselves, so nothing is logged unless somebody wants it. */
export type LocalOptions = ComposeOptions & { readonly log?: Log };
export type AppOptions = ComposeOptions & {
  readonly version: string;
  /** Folder of the built page; the one beside the source by default. */
  readonly pageDir?: string;
};

/** Another process holds this data directory; null in the moment before it has said who and where it is. */
type AlreadyRunning = {
  readonly code: "already_running";
  readonly pid: number | null;
  readonly url: string | null;
};
export type StartRefusal = AlreadyRunning | TlsUnreadable | StartFault;

export interface App extends Pick<LocalApp, "journal" | "keys" | "approvals" | "messages" | "secrets" | "hold"> {
  /** Opens the port; nothing is reachable before. */
  listen(): Promise<Result<{ readonly url: string; readonly port: number }, ListenRefusal>>;
  enrolmentLink(): string;
  /** Told of every browser that asks to have its key confirmed. */
  onDeviceWaiting: DeviceKeysDoor["onWaiting"];
  onTelegram: Telegram["onState"];
  /** Told of whatever reached the process uncaught. */
  readonly faults: FaultTally;
  /** Everything in reverse order, within the configured grace. */
  close(): Promise<void>;
}

/** The journal without a server, for verbs of the terminal while no instance runs. */
export interface LocalApp {
  readonly passkeys: PasskeysDoor;
  readonly journal: JournalDoor;
  readonly keys: KeysDoor;
  readonly approvals: ApprovalsDoor;
  readonly messages: MessagesDoor;
  readonly secrets: SecretsDoor;
  readonly deviceKeys: DeviceKeysDoor;
  readonly review: ReviewFeed;
  readonly skills: SkillsDoor;
  readonly connections: Connections;
  readonly memory: MemoryDoor;
  readonly work: Work;
  readonly hold: HoldDoor;
  close(): Promise<void>;
}

const CHAIN_WORKER = new URL("chain-worker.ts", import.meta.url);
export const BUILT_PAGE = fileURLToPath(new URL("../web/dist", import.meta.url));

export async function composeApp(options: AppOptions): Promise<Result<App, StartRefusal>> {
  const machine = machineOf(options);
  const lock = lockDirectory(options.config);
  if (!lock.ok) return lock;
  const log = await openLogFile({ stateDir: options.stateDir, clock: machine.clock });
  const opened = await openParts({ ...options, machine, log }, options);
  if (!opened.ok) {
    log.error("start_refused", opened.error);
    log.close();
    lock.value.release();
    return opened;
  }
  return ok(await wireApp({ options, machine, lock: lock.value, log, ...opened.value }));
}

type Parts = {
  readonly options: AppOptions;
  readonly machine: Machine;
  readonly lock: InstanceLock;
  readonly log: LogFile;
} & Opened;

const pageOf = ({ version, pageDir = BUILT_PAGE }: AppOptions) => ({ version, pageDir });

async function wireApp({ options, machine, lock, log, stores, life, tls }: Parts): Promise<App> {
  const journals = createJournal({ stores, machine, log });
  await sweepSandboxes(options.config.sandbox);
  const terminalToken = randomToken(machine.randomness);
  const around = { isOwnOrigin: (origin: string) => server.isOwnOrigin(origin), jobs: { audit_head: life.job } };
  const trust = createTrust({ options, stores, machine, log, ...around });
  const { hold } = trust;
  hold.onAccepted(async () => void (await life.begin(options.version)));
  await prepareKeys(trust.keys, { hold, life, log });
  const { refusals, faults, ...tallies } = createTallies({ audit: stores.audit, ...machine, log });
  const whole = createChainVerifier({ file: CHAIN_WORKER, dataDir: options.config.dataDir });
  const server = await createWebServer({
    ...journals,
    ...trust,
    sessions: stores.sessions,
    activity: createActivityDoor({ ...stores, whole, titles: stores.approvals, gates: options.config.gates.system }),
    refusals,
    ...machine,
    log,
    settings: webSettings(options.config, { terminalToken, tls, ...pageOf(options) }),
  });
  const telegram = createTelegram({ ...trust, ...options, ...machine, stores, findSecrets, log, faults });
  return {
    ...trust,
    journal: journals.journal,
    faults,
    onDeviceWaiting: trust.deviceKeys.onWaiting,
    onTelegram: telegram.onState,
    enrolmentLink: server.enrolmentLink,
    async listen() {
      const listening = await server.listen();
      if (!listening.ok) return listening;
      const { url } = listening.value;
      const own = { pid: process.pid, url, cli_token: terminalToken, version: options.version };
      const told = lock.publish({ ...own, started_at: machine.clock.now() });
      // The page works without the file; only the terminal cannot find this instance.
      if (!told.ok) log.error("instance_file_failed", told.error);
      await hold.whenOpen(async () => {
        trust.messages.talk.start();
        await trust.work.start();
        telegram.start(url);
      });
      return listening;
    },
    async close() {
      await Promise.all([server.close(), whole.close(), telegram.close()]);
      await trust.work.close();
      await trust.messages.talk.close();
      journals.feed.close();
      await tallies.close();
      if (hold.current() === null) await life.end();
      await stores.close();
      log.close();
      lock.release();
    },
  };
}

type Opened = { readonly stores: Stores; readonly life: AuditLife; readonly tls: LoadedTls };

/** Everything that can refuse a start, before anything listens. */
async function openParts(start: StartParts, options: AppOptions): Promise<Result<Opened, TlsUnreadable | StartFault>> {
  const tls = await loadTls(start.config);
  if (!tls.ok) return tls;
  const stores = await openStores(storesOptions(start));
  if (!stores.ok) return stores;
  const { signer } = openKeys({ options, stores: stores.value, machine: start.machine });
  const life = createAuditLife({ audit: stores.value.audit, ...start.machine, log: start.log, signer });
  const begun = stores.value.hold.current() === null ? await life.begin(options.version) : ok();
  if (begun.ok) return ok({ stores: stores.value, life, tls: tls.value });
  await stores.value.close();
  return err({ code: begun.error.code, file: start.config.dataDir, cause: begun.error.cause });
}

export async function composeLocal(options: LocalOptions): Promise<Result<LocalApp, StartRefusal>> {
  const [machine, log] = [machineOf(options), options.log ?? SILENT];
  const lock = lockDirectory(options.config);
  if (!lock.ok) return lock;
  const stores = await openStores(storesOptions({ ...options, machine, log }));
  if (!stores.ok) {
    lock.value.release();
    return stores;
  }
  const { journal, feed } = createJournal({ stores: stores.value, machine, log });
  const trust = createTrust({ options, stores: stores.value, machine, log, isOwnOrigin: () => false, jobs: {} });
  // A verb that needs a key says itself why it has none.
  await trust.keys.vouch();
  return ok({
    journal,
    ...trust,
    async close() {
      feed.close();
      await trust.messages.talk.close();
      await trust.work.close();
      await stores.value.close();
      lock.value.release();
    },
  });
}

type SandboxPlace = Pick<ComposeOptions, "config" | "stateDir" | "network"> & {
  /** Where programs are looked for, as PATH says. */
  readonly searchPath: string;
};

/** Where programs run. Nothing is looked at before the first space is opened or support is asked for. */
export function composeSandboxes({ config, stateDir, searchPath, network }: SandboxPlace): Sandboxes {
  const host = { platform: process.platform, arch: process.arch, searchPath, node: process.execPath };
  const egress = createEgressGateway({ timers: systemTimers, config, ...(network && { network }) });
  const parts = { own: [config.dataDir, stateDir], host, egress, randomness: systemRandomness, timers: systemTimers };
  return createSandboxes({ settings: config.sandbox, ...parts });
}

function lockDirectory({ dataDir }: Config): Result<InstanceLock, AlreadyRunning | StartFault> {
  const lock = acquireInstanceLock(dataDir);
  if (lock.ok) return lock;
  if (lock.error.code !== "instance_running") {
    return err({ code: lock.error.code, file: dataDir, cause: lock.error.cause });
  }
  const { instance } = lock.error;
  return err({ code: "already_running", pid: instance?.pid ?? null, url: instance?.url ?? null });
}

type StartParts = Pick<ComposeOptions, "config" | "onStatement"> & { readonly machine: Machine; readonly log: Log };

function storesOptions({ config, machine, log, onStatement }: StartParts) {
  const onPruned = (file: string) => log.info("migration_copy_pruned", { file });
  const auditRules = createAuditRules(systemSha256, systemEd25519);
  const seen = onStatement === undefined ? {} : { onStatement, onRuntimeStatement: onStatement };
  return { dataDir: config.dataDir, clock: machine.clock, random: machine.randomness, onPruned, auditRules, ...seen };
}

function createJournal({ stores, machine, log }: Pick<TrustParts, "stores"> & Pick<StartParts, "machine" | "log">) {
  const feed = createChangeFeed({ timers: machine.timers, log, coalesce });
  const journal = withoutSecrets.journal(createJournalDoor({ store: stores.journal, feed, ...machine }), findSecrets);
  return { feed, journal: withAuditedTransfers({ journal, audit: stores.audit, ...machine, log }) };
}

type TrustParts = { readonly options: ComposeOptions; readonly stores: Stores; readonly machine: Machine };

function openKeys({ options, stores, machine }: TrustParts) {
  const { stateDir, vault: access = BY_KEY_FILE } = options;
  const vault = openVault({ dataDir: options.config.dataDir, stateDir, random: machine.randomness, access });
  return { vault, signer: createSigner({ vault, registry: stores.keys, clock: machine.clock }) };
}

/** Whether a page is Silas's own, which needs a server; and housekeeping of the process. */
type Own = { readonly isOwnOrigin: (origin: string) => boolean; readonly jobs: { readonly [name: string]: Job } };

/** The owner's keys, and the approvals that are signed with them. */
function createTrust({ options, stores, machine, log, isOwnOrigin, jobs }: TrustParts & Own & { log: Log }) {
  const { randomness, clock } = machine;
  const { vault, signer } = openKeys({ options, stores, machine });
  const { audit, keys: registry } = stores;
  const parts = { audit, registry, ...machine, readYaml: parseYaml, decided: createDecidedPlans(), runs: stores.work };
  const review = createReviewFeed({ stores, clock, log });
  const secrets = createSecretsDoor({ vault, inputs: stores.secureInputs, clock, onChanged: review.changed });
  const passkeys = createPasskeysDoor({ store: stores.passkeys, audit, clock, randomness, isOwnOrigin });
  const folders = openSkillFolders(options.config.skillsDir);
  const ofSkills = { ...parts, store: stores.skills, approvals: stores.approvals, folders };
  const installed = createInstalledSkills(ofSkills);
  const store = withReviewFeed(stores.approvals, review);
  const follow: Work["decisions"]["follow"] = (decision) => work.decisions.follow(decision);
  const door = { ...parts, store, signer, passkeys, secrets, follow, settings: approvalSettings(options.config) };
  const asked = createApprovalsDoor({ ...door, skills: installed });
  const approvals = withoutSecrets.approvals(asked, findSecrets);
  const sandboxes = withStop(composeSandboxes({ ...options, searchPath: PROGRAMS }), stores.stops);
  const gates = createSystemGates({ config: options.config, audit, clock, timers: machine.timers, sandboxes });
  const given = { ...parts, config: options.config, vault, log, skills: installed, findSecrets };
  const around = { ...given, installed, sandboxes, review, proposals: approvals };
  const skills = createSkills({ ...around, ...ofSkills });
  const connections = createConnections({ ...around, approvals: stores.approvals, stores, secrets, openCallback });
  const models = createModels({ config: options.config, vault, timers: machine.timers });
  const planner = createPlanner({ ...around, stores, gates, models });
  const others = () => ({ messages, memory, skills, connections });
  const running = { ...around, connections, stores: planner.stores, gates, models, others };
  const housekeeping = { ...jobs, nonces: nonceJob({ ...given, ...stores }) };
  const work: Work = planner.around(createWork({ ...running, jobs: housekeeping }));
  const customers = openCustomerFiles(options.config.sandbox.customerContextDir);
  const talking = { ...given, stores, review, stream: work.stream, models, customers, approvals, gates, signer };
  const messages = withoutSecrets.messages(createMessages(talking), findSecrets);
  const memory = createMemory({ ...given, stores, approvals });
  const doors = { work, approvals, memory, skills, connections, messages, passkeys, review, gates, secrets };
  return {
    ...doors,
    keys: createKeysDoor({ vault, registry, clock, randomness, signer, audit }),
    hold: createHoldDoor({ store: stores.hold, registry, clock, onChanged: review.changed }),
    deviceKeys: createDeviceKeys({ ...parts, signer, review }),
    bot: createBotGateway({ ...options, ...machine }),
  };
}

const PROGRAMS = "/usr/local/bin:/usr/bin:/bin";
const BY_KEY_FILE: VaultAccess = { passphrase: null, askPassphrase: async () => null, sessionBus: "absent" };

function machineOf({ machine }: ComposeOptions): Machine {
  return { clock: systemClock, randomness: systemRandomness, timers: systemTimers, ...machine };
}

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };
