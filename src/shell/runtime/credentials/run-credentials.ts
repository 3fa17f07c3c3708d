import { err, ok, type Result, oneLine } from "#base";
import {
  hostWords,
  parseHostRule,
  secretRefSchema,
  type AuditActor,
  type AuditDraft,
  type Credential,
  type ExecutionEnvelope,
  type SecretRef,
  type SecureInputRequest,
  type Step,
  sandboxWords,
} from "#model";
import type {
  AuditLog,
  Clock,
  EgressCredential,
  Log,
  SandboxCommand,
  SecureInputStore,
  Vault,
  SandboxSpace,
} from "#ports";
import { tracesOf } from "./traces.ts";
import { findInFiles, type Places } from "../work/artifacts.ts";
import { guardSpace, handInto } from "./guard-space.ts";
import { findInPlaces, madeAt, type WrittenPlaces } from "./written-files.ts";

type CredentialDeps = {
  readonly vault: Pick<Vault, "get">;
  readonly inputs: Pick<SecureInputStore, "list">;
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly log: Log;
};

/** The way of a secret from the vault to a step whose approved plan names it. There is no other. */
export type RunCredentials = {
  /**
   * Reads everything a plan names, or says in words why a step could not have it. Null when it names nothing. Nothing of
   * the plan has begun yet.
   */
  take(work: WorkWithSteps): Promise<Result<HeldCredentials | null, string>>;
};
type WorkWithSteps = { readonly runId: string; readonly id: string; readonly steps: readonly Step[] };

/** The secrets of one run, for as long as it may show one of them. */
export type HeldCredentials = {
  /** What a step is given that its envelope names; null when that could not be recorded. */
  handOver(envelope: NamingCredentials): Promise<HandedOver | null>;
  /** The name of the first secret that these bytes show; null for none. */
  find(bytes: Uint8Array): SecretRef | null;
  /** The longest form of any of them. */
  readonly traceBytes: number;
  /** Records that something was not kept because it showed this secret. */
  withheld(ref: SecretRef): Promise<void>;
  /** Overwrites all of them. */
  letGo(): void;
};
export type NamingCredentials = Pick<ExecutionEnvelope, "stepIndex" | "credentialRefs">;
type HandedOver = {
  readonly pipes: NonNullable<SandboxCommand["pipes"]>;
  readonly credentials: readonly EgressCredential[];
};

type Held = { readonly ref: SecretRef; readonly secret: Uint8Array; readonly traces: readonly Uint8Array[] };

export function createRunCredentials(deps: CredentialDeps): RunCredentials {
  return {
    async take(work) {
      const named = work.steps.flatMap(({ credentials }) => Object.values(credentials));
      if (named.length === 0) return ok(null);
      const listed = await deps.inputs.list(deps.clock.now());
      if (!listed.ok) return err(`what secrets were saved for could not be read (${listed.error.code})`);
      const requestsByRef = new Map<string, SecureInputRequest>(
        listed.value.map((request) => [request.refId, request]),
      );
      const heldByRef = new Map<string, Held>();
      for (const credential of named) {
        const problem = unfit(credential, requestsByRef.get(credential.ref) ?? null);
        const read = problem === null ? await readOnce(deps, { credential, heldByRef }) : err(problem);
        if (read.ok) continue;
        wipe(heldByRef.values());
        return read;
      }
      return ok(holding(deps, { work, heldByRef }));
    },
  };
}

/** Why a secret may not be used in this way, with what helps; null when it may. */
function unfit({ ref, as, host }: Credential, request: SecureInputRequest | null): string | null {
  const rule = host === null ? null : parseHostRule(host);
  const wanted = rule === null ? null : hostWords(rule);
  const set = `\`silas secrets set ${ref}${wanted === null ? "" : ` --host ${wanted.replace(/:443$/, "")}`}\``;
  // Whoever asks for it again may have named another host, while the vault still holds what was saved for the first.
  if (request?.state !== "fulfilled")
    return `the secret ${ref} is not in the vault, or a new one is waited for: ${set}`;
  if (as === "pipe" && request.host !== null) {
    return `the secret ${ref} was saved for ${request.host}, and no program gets to hold it: use \`as: header\``;
  }
  if (as === "header" && request.host !== wanted) {
    const saved = request.host === null ? "for no host" : `for ${request.host}`;
    return `the secret ${ref} was saved ${saved}, and the plan uses it for ${wanted}: \`silas secrets remove ${ref}\`, then ${set}`;
  }
  return null;
}

type Reading = { readonly credential: Credential; readonly heldByRef: Map<string, Held> };

/** Shorter ones are found in every text, so that nothing could be kept of what is printed. */
const SECRET_BYTES_LEAST = 8;
/** Visible characters of ASCII, with spaces only between them: anything else could end the header. */
const OF_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

async function readOnce(
  { vault }: CredentialDeps,
  { credential: { ref: name, as }, heldByRef }: Reading,
): Promise<Result<void, string>> {
  const ref = secretRefSchema.safeParse(name);
  if (!ref.success) return err(`${name} is no name of a secret`);
  const known = heldByRef.get(name);
  const read = known === undefined ? await vault.get(ref.data) : ok(known.secret);
  if (!read.ok) {
    const isGone = read.error.code === "secret_missing";
    return err(isGone ? `the secret ${name} is not in the vault` : `the vault does not open (${read.error.code})`);
  }
  const secret = read.value;
  heldByRef.set(name, known ?? { ref: ref.data, secret, traces: tracesOf(secret) });
  if (secret.length < SECRET_BYTES_LEAST) {
    return err(`the secret ${name} has fewer than ${SECRET_BYTES_LEAST} bytes, too few to be found in what is printed`);
  }
  const isForHeader = as === "header" && !OF_HEADER.test(textOf(secret));
  return isForHeader ? err(`the secret ${name} holds characters that no header may have`) : ok(undefined);
}

const textOf = (secret: Uint8Array): string => Buffer.from(secret).toString("utf8");

type Holding = { readonly work: WorkWithSteps; readonly heldByRef: ReadonlyMap<string, Held> };

function holding(deps: CredentialDeps, { work, heldByRef }: Holding): HeldCredentials {
  const all = [...heldByRef.values()];
  const run = { run_id: work.runId, work_item_id: work.id };
  const record = async (draft: Pick<AuditDraft, "event" | "data">): Promise<boolean> => {
    const kept = await deps.audit.append({ ...draft, at: deps.clock.now(), actor: SYSTEM } as AuditDraft);
    if (!kept.ok) deps.log.error("credential_unrecorded", { run_id: work.runId, ...kept.error });
    return kept.ok;
  };
  return {
    async handOver({ stepIndex, credentialRefs }) {
      const used = (ref: SecretRef, host: string | null): Promise<boolean> =>
        record({ event: "credential_used", data: { ...run, index: stepIndex, ref_id: ref, host } });
      const planned = work.steps[stepIndex]?.credentials ?? {};
      const found = Object.entries(credentialRefs).flatMap(([name, ref]) => {
        const credential = Object.hasOwn(planned, name) ? planned[name] : undefined;
        const held = heldByRef.get(ref);
        return credential?.ref === ref && held !== undefined ? [{ name, credential, held }] : [];
      });
      const pipes: Record<string, Uint8Array> = {};
      for (const { name, credential, held } of found) {
        if (credential.as !== "pipe") continue;
        if (!(await used(held.ref, null))) return null;
        pipes[`SILAS_SECRET_${name}_FD`] = held.secret;
      }
      return { pipes, credentials: found.flatMap(({ credential, held }) => headerOf(credential, { held, used })) };
    },
    find: (bytes) => {
      const seen = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return all.find(({ traces }) => traces.some((trace) => seen.indexOf(trace) !== -1))?.ref ?? null;
    },
    traceBytes: Math.max(...all.flatMap(({ traces }) => traces.map(({ length }) => length))),
    withheld: async (ref) => void (await record({ event: "output_withheld", data: { ...run, ref_id: ref } })),
    letGo: () => wipe(all),
  };
}

/** A form of a secret gives it away as much as the secret does. */
function wipe(all: Iterable<Held>): void {
  for (const { secret, traces } of all) for (const bytes of [secret, ...traces]) bytes.fill(0);
}

const SYSTEM: AuditActor = { kind: "system" };

type Heading = { readonly held: Held; readonly used: (ref: SecretRef, host: string | null) => Promise<boolean> };

function headerOf({ as, host, header }: Credential, { held, used }: Heading): readonly EgressCredential[] {
  const rule = as === "header" && host !== null ? parseHostRule(host) : null;
  if (rule === null) return [];
  let recorded: Promise<boolean> | null = null;
  const reveal = async (): Promise<string | null> => {
    recorded ??= used(held.ref, hostWords(rule));
    if (!(await recorded)) return null;
    return header === "authorization" ? `Bearer ${textOf(held.secret)}` : textOf(held.secret);
  };
  return [{ host: rule, header, reveal, traces: held.traces }];
}

type Opened = Promise<Result<SandboxSpace, string>>;

/** The secrets of runs, by the space in which a run may show them. A run without any is as it would be without this. */
type Guards = {
  /** Nothing is opened before everything the plan names can be had. */
  open(work: GuardedWork, openIt: () => Opened): Opened;
  /** The space as one step finds it. */
  asStep(space: SandboxSpace, step: { readonly envelope: NamingCredentials }): SandboxSpace;
  /** Why nothing of these files may be kept; null when they may be. Places the plan may change are looked at too. */
  problemIn(space: SandboxSpace, places: Places): Promise<string | null>;
  /** The same names, those that show a secret left out. */
  clearNames(space: SandboxSpace, names: readonly string[]): readonly string[];
};

type GuardedWork = WorkWithSteps & { readonly files: { readonly write: readonly string[] } };
type Guarded = { readonly held: HeldCredentials; readonly written: WrittenPlaces };

export function createGuards(credentials: RunCredentials): Guards {
  const guarded = new WeakMap<SandboxSpace, Guarded>();
  return {
    async open(work, openIt) {
      const held = await credentials.take(work);
      if (!held.ok) return err(`Nothing could run: ${held.error}`);
      const opened = await openIt();
      if (held.value === null) return opened;
      if (!opened.ok) {
        held.value.letGo();
        return opened;
      }
      const space = guardSpace(opened.value, held.value);
      const written = { places: work.files.write, sinceNs: await madeAt(space.workspace) };
      guarded.set(space, { held: held.value, written });
      return ok(space);
    },
    asStep(space, { envelope }) {
      const held = guarded.get(space)?.held;
      return held === undefined ? space : handInto(space, { held, envelope });
    },
    async problemIn(space, places) {
      const guard = guarded.get(space);
      if (guard === undefined) return null;
      const { find, traceBytes: overlapBytes, withheld } = guard.held;
      const left = await findInFiles({ workspace: space.workspace, places }, { find, overlapBytes });
      const written = left === null ? await findInPlaces(guard.written, { find, overlapBytes }) : null;
      const found = left ?? written?.found ?? null;
      if (found === null) return null;
      await withheld(found);
      if (written === null) return sandboxWords({ code: "sandbox_output_withheld", refId: found }).what;
      return `it wrote the secret ${found} to a file in ${oneLine(written.place)}, which is still there: remove it and change the secret`;
    },
    clearNames(space, names) {
      const held = guarded.get(space)?.held;
      const isClear = (name: string): boolean => held === undefined || held.find(Buffer.from(name)) === null;
      return names.map((name) => (isClear(name) ? name : "(withheld)"));
    },
  };
}
