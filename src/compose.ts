/**
 * compose: the only place that knows which adapter stands behind which port.
 *
 * Holds no logic. The order is that of effects: the lock first, so that nobody else writes; then files and their
 * migrations; then the runtime; the server listens last (MIG-07). What fails takes back what came before it.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { err, ok, type Result } from "#base";
import { createWebServer, randomToken, type ListenRefusal, type WebSettings } from "#channels";
import { parseYaml } from "#config";
import { createEgressGateway } from "#gateway";
import { coalesce } from "#journal";
import type { Config } from "#model";
import { createAuditRules } from "#policy";
import type {
  ApprovalsDoor,
  Clock,
  DeviceKeysDoor,
  JournalDoor,
  KeysDoor,
  Log,
  MessagesDoor,
  PasskeysDoor,
  Randomness,
  Sandboxes,
  SecretsDoor,
  Timers,
} from "#ports";
import {
  approvalSettings,
  createActivityDoor,
  createApprovalsDoor,
  createAuditLife,
  createChangeFeed,
  createDeviceKeys,
  createJournalDoor,
  createKeysDoor,
  createMessages,
  createPasskeysDoor,
  createRefusalTally,
  createReviewFeed,
  createSecretsDoor,
  createSigner,
  createSystemGates,
  createWork,
  startMessagesLife,
  systemClock,
  systemEd25519,
  systemRandomness,
  systemSha256,
  systemTimers,
  withAskedSecrets,
  withAuditedTransfers,
  withMessageDecisions,
  withReviewFeed,
  withStop,
  type AuditLife,
  type Work,
} from "#runtime";
import { createSandboxes, sweepWorkspaces } from "#sandbox";
import {
  acquireInstanceLock,
  openCustomerFiles,
  openLogFile,
  openStores,
  openVault,
  type InstanceLock,
  type LogFile,
  type StartFault,
  type Stores,
  type VaultAccess,
} from "#stores";

/** What comes from the machine; a test puts its own in place. */
export type Machine = { readonly clock: Clock; readonly randomness: Randomness; readonly timers: Timers };

export type ComposeOptions = {
  readonly config: Config;
  /** Where logs go, and the key of a vault without a passphrase. */
  readonly stateDir: string;
  /** How the vault may be opened; without it, by its key file alone. */
  readonly vault?: VaultAccess;
  readonly machine?: Partial<Machine>;
};
export type AppOptions = ComposeOptions & {
  readonly version: string;
  /** Folder of the built page; the one beside the source by default. */
  readonly pageDir?: string;
};

export type TlsUnreadable = { readonly code: "tls_unreadable"; readonly cause: unknown };
/** Another process holds this data directory; null in the moment before it has said who and where it is. */
export type AlreadyRunning = {
  readonly code: "already_running";
  readonly pid: number | null;
  readonly url: string | null;
};
export type StartRefusal = AlreadyRunning | TlsUnreadable | StartFault;

export interface App {
  readonly journal: JournalDoor;
  readonly keys: KeysDoor;
  readonly approvals: ApprovalsDoor;
  readonly messages: MessagesDoor;
  readonly secrets: SecretsDoor;
  /** Opens the port; nothing is reachable before. */
  listen(): Promise<Result<{ readonly url: string; readonly port: number }, ListenRefusal>>;
  enrolmentLink(): string;
  /** Told of every browser that asks to have its key confirmed. */
  onDeviceWaiting: DeviceKeysDoor["onWaiting"];
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
  readonly work: Work;
  close(): Promise<void>;
}

export const BUILT_PAGE = fileURLToPath(new URL("../web/dist", import.meta.url));

export async function composeApp(options: AppOptions): Promise<Result<App, StartRefusal>> {
  const { config } = options;
  const machine = machineOf(options);
  const lock = lockDirectory(config);
  if (!lock.ok) return lock;
  const log = await openLogFile({ stateDir: options.stateDir, clock: machine.clock });
  const opened = await openParts({ config, machine, log }, options);
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

async function wireApp({ options, machine, lock, log, stores, life, tls }: Parts): Promise<App> {
  const { journal, feed } = createJournal({ stores, machine, log });
  await sweepWorkspaces(options.config.sandbox.workDir);
  const terminalToken = randomToken(machine.randomness);
  const settings = webSettings(options, { terminalToken, tls });
  const trust = createTrust({ options, stores, machine, log, isOwnOrigin: (origin) => server.isOwnOrigin(origin) });
  const { keys, approvals, secrets } = trust;
  await prepareKeys(keys, { life, log });
  const refusals = createRefusalTally({ audit: stores.audit, ...machine, log });
  const server = await createWebServer({
    journal,
    feed,
    ...trust,
    sessions: stores.sessions,
    activity: createActivityDoor({ audit: stores.audit, titles: stores.approvals }),
    refusals,
    ...machine,
    log,
    settings,
  });
  let stopMessages: (() => void) | null = null;
  return {
    journal,
    keys,
    approvals,
    messages: trust.messages,
    secrets,
    onDeviceWaiting: trust.deviceKeys.onWaiting,
    enrolmentLink: server.enrolmentLink,
    async listen() {
      const listening = await server.listen();
      if (!listening.ok) return listening;
      const told = lock.publish({
        pid: process.pid,
        url: listening.value.url,
        cli_token: terminalToken,
        started_at: machine.clock.now(),
        version: options.version,
      });
      // The page works without the file; only the terminal cannot find this instance.
      if (!told.ok) log.error("instance_file_failed", told.error);
      const { config } = options;
      stopMessages = startMessagesLife({ messages: trust.messages, nonces: stores.nonces, config, ...machine, log });
      await trust.work.start();
      return listening;
    },
    async close() {
      await server.close();
      await trust.work.close();
      stopMessages?.();
      feed.close();
      await refusals.close();
      await life.end();
      await stores.close();
      log.close();
      lock.release();
    },
  };
}

async function prepareKeys(keys: KeysDoor, { life, log }: Pick<Parts, "life" | "log">): Promise<void> {
  const prepared = await keys.prepare();
  // Without a signing key nothing is signed; everything that needs no signature still works.
  if (!prepared.ok) log.error("signing_key_unavailable", prepared.error);
  // The first key signs the head at once: from here on a chain without a signed head was not written by this Silas.
  else if (prepared.value !== null) await life.mark();
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
  const begun = await life.begin(options.version);
  if (begun.ok) return ok({ stores: stores.value, life, tls: tls.value });
  await stores.value.close();
  return err({ code: begun.error.code, file: start.config.dataDir, cause: begun.error.cause });
}

export async function composeLocal(options: ComposeOptions): Promise<Result<LocalApp, StartRefusal>> {
  const machine = machineOf(options);
  const lock = lockDirectory(options.config);
  if (!lock.ok) return lock;
  const stores = await openStores(storesOptions({ config: options.config, machine, log: SILENT }));
  if (!stores.ok) {
    lock.value.release();
    return stores;
  }
  const { journal, feed } = createJournal({ stores: stores.value, machine, log: SILENT });
  const trust = createTrust({ options, stores: stores.value, machine, log: SILENT, isOwnOrigin: () => false });
  return ok({
    journal,
    ...trust,
    async close() {
      feed.close();
      await trust.work.close();
      await stores.value.close();
      lock.value.release();
    },
  });
}

export type SandboxPlace = Pick<ComposeOptions, "config" | "stateDir"> & {
  /** Where programs are looked for, as PATH says. */
  readonly searchPath: string;
};

/** Where programs run. Nothing is looked at before the first space is opened or support is asked for. */
export function composeSandboxes({ config, stateDir, searchPath }: SandboxPlace): Sandboxes {
  const host = { platform: process.platform, arch: process.arch, searchPath, node: process.execPath };
  const egress = createEgressGateway({ timers: systemTimers, config });
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

type StartParts = { readonly config: Config; readonly machine: Machine; readonly log: Log };

function storesOptions({ config, machine, log }: StartParts) {
  const onPruned = (file: string) => log.info("migration_copy_pruned", { file });
  const auditRules = createAuditRules(systemSha256, systemEd25519);
  return { dataDir: config.dataDir, clock: machine.clock, random: machine.randomness, onPruned, auditRules };
}

type JournalParts = { readonly stores: Stores; readonly machine: Machine; readonly log: Log };

function createJournal({ stores, machine, log }: JournalParts) {
  const feed = createChangeFeed({ timers: machine.timers, log, coalesce });
  const journal = createJournalDoor({ store: stores.journal, feed, ...machine });
  return { feed, journal: withAuditedTransfers({ journal, audit: stores.audit, ...machine, log }) };
}

type TrustParts = { readonly options: ComposeOptions; readonly stores: Stores; readonly machine: Machine };

function openKeys({ options, stores, machine }: TrustParts) {
  const { stateDir, vault: access = BY_KEY_FILE } = options;
  const vault = openVault({ dataDir: options.config.dataDir, stateDir, random: machine.randomness, access });
  return { vault, signer: createSigner({ vault, registry: stores.keys, clock: machine.clock }) };
}

/** Whether a page is Silas's own; without a server there is none. */
type OwnOrigin = { readonly isOwnOrigin: (origin: string) => boolean };

/** The owner's keys, and the approvals that are signed with them. */
function createTrust({ options, stores, machine, log, isOwnOrigin }: TrustParts & OwnOrigin & Pick<StartParts, "log">) {
  const { randomness, clock } = machine;
  const { vault, signer } = openKeys({ options, stores, machine });
  const { audit, keys: registry } = stores;
  const parts = { audit, registry, ...machine, readYaml: parseYaml, runs: stores.work };
  const review = createReviewFeed({ store: stores.approvals, log });
  const secrets = createSecretsDoor({ vault, inputs: stores.secureInputs, clock, onChanged: review.changed });
  const passkeys = createPasskeysDoor({ store: stores.passkeys, audit, clock, randomness, isOwnOrigin });
  const approvals = createApprovalsDoor({
    ...parts,
    store: withReviewFeed(stores.approvals, review),
    signer,
    passkeys,
    settings: approvalSettings(options.config),
  });
  const sandboxes = withStop(composeSandboxes({ ...options, searchPath: PROGRAMS }), stores.stops);
  const gates = createSystemGates({ config: options.config, audit, clock, timers: machine.timers, sandboxes });
  const messages = createMessages({
    ...parts,
    config: options.config,
    store: stores.messages,
    decisions: stores.approvals,
    customers: openCustomerFiles(options.config.sandbox.customerContextDir),
    approvals,
    gates,
    signer,
  });
  return {
    work: createWork({ ...parts, config: options.config, stores, sandboxes, gates, review, proposals: approvals, log }),
    keys: createKeysDoor({ vault, registry, clock, randomness, signer }),
    deviceKeys: createDeviceKeys({ ...parts, review }),
    approvals: withMessageDecisions(withAskedSecrets({ approvals, secrets }), messages),
    messages,
    passkeys,
    review,
    gates,
    secrets,
  };
}

const PROGRAMS = "/usr/local/bin:/usr/bin:/bin";
const BY_KEY_FILE: VaultAccess = { passphrase: null, askPassphrase: async () => null, sessionBus: "absent" };

type LoadedTls = WebSettings["tls"];

function webSettings(
  options: AppOptions,
  made: { readonly terminalToken: string; readonly tls: LoadedTls },
): WebSettings {
  const { config, version } = options;
  const { host, port, authToken, publicUrl, trustedProxies } = config.channels.web;
  return {
    ...made,
    host,
    port,
    configuredToken: authToken?.reveal() ?? null,
    publicUrl,
    trustedProxies,
    version,
    dataDir: config.dataDir,
    ownerId: config.ownerId,
    pageDir: options.pageDir ?? BUILT_PAGE,
    wsMessagesPerMinutePerScope: config.limits.wsMessagesPerMinutePerScope,
    wsMessagesPerMinutePerIp: config.limits.wsMessagesPerMinutePerIp,
    approvalTtlMs: config.approval.defaultTtlMinutes * 60_000,
    shutdownGraceMs: config.backpressure.shutdownGraceSeconds * 1000,
  };
}

async function loadTls(config: Config): Promise<Result<LoadedTls, TlsUnreadable>> {
  const { cert, key } = config.channels.web.tls;
  if (cert === null || key === null) return ok(null);
  try {
    return ok({ cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") });
  } catch (cause) {
    return err({ code: "tls_unreadable", cause });
  }
}

function machineOf({ machine }: ComposeOptions): Machine {
  return { clock: systemClock, randomness: systemRandomness, timers: systemTimers, ...machine };
}

/** A verb of the terminal says what went wrong itself. */
const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };
