import { err, ok, type Result } from "#base";
import {
  hostWords,
  parseHostRule,
  readPayload,
  type AuditDraft,
  type ConnectionManifest,
  type HostRule,
  type KeptRequest,
  type StoreFault,
} from "#model";
import { judgeConnectionUse, type UseVerdict } from "#policy";
import type { EgressCredential, KeptConnection, WideningOutcome } from "#ports";
import type { ConnectionUse } from "#work";
import { tracesOf } from "../credentials/traces.ts";
import { SYSTEM, type ConnectionDeps } from "./deps.ts";
import { wipe, type Borrower, type LentSecrets } from "./lent.ts";
import { refOf } from "./run-script.ts";
import { loadApproved } from "./setup.ts";

/** How the steps of runs use connections. */
export type ConnectionUses = {
  /** The gate before a step: what it may, what is missing, or why it does not begin. [PERM-02] */
  judge(use: ConnectionUse): Promise<Result<JudgedUse, StoreFault>>;
  /** What became of an approved request for more; null while that goes on. */
  outcomeOf(request: KeptRequest): Promise<Result<WideningOutcome | null, StoreFault>>;
  /** Whether that step was lent something that it has not used. */
  isLent(to: Borrower): boolean;
  /** Opens the connection for one call, by what it has now or was lent for this call. Refused with words. */
  open(step: UsingStep): Promise<Result<OpenedUse, string>>;
};
export type JudgedUse = {
  readonly verdict: UseVerdict;
  /** What is known of it; null when nothing is, and then it is blocked. */
  readonly known: { readonly of: KeptConnection; readonly manifest: ConnectionManifest } | null;
};
type UsingStep = Borrower & { readonly use: ConnectionUse; readonly workItemId: string };
type OpenedUse = {
  /** All that its skill may reach; a step reaches what its plan names of it. */
  readonly hosts: readonly HostRule[];
  readonly credentials: readonly EgressCredential[];
  /** Overwrites everything that was held for it. */
  close(): void;
};

export function createConnectionUses(deps: ConnectionDeps, lent: LentSecrets): ConnectionUses {
  return {
    judge: (use) => judge(deps, use),
    outcomeOf: (request) => outcomeOf(deps, { lent, request }),
    isLent: lent.has,
    open: (step) => open(deps, { lent, step }),
  };
}

type Looking = { readonly lent: LentSecrets; readonly request: KeptRequest };

async function outcomeOf(
  { store }: ConnectionDeps,
  { lent, request }: Looking,
): Promise<Result<WideningOutcome | null, StoreFault>> {
  const outcome = await store.outcomeOf(request.requestId);
  if (!outcome.ok || outcome.value === "granted" || outcome.value === "failed") return outcome;
  const read = readPayload("permission_escalation", request.projection);
  const payload = read.ok && read.value.payload.kind === "permission_escalation" ? read.value.payload : null;
  if (payload === null) return ok("failed");
  const { run_id: runId, step, connection_id: connectionId } = payload;
  // What was lent to a step went with the Silas that held it, or with its time.
  if (outcome.value === "once") return ok(lent.has({ runId, stepIndex: step - 1 }) ? "once" : "failed");
  const found = await store.find(connectionId);
  // What was removed meanwhile gives nothing any more.
  return found.ok ? ok(found.value === null ? "failed" : null) : found;
}

async function judge(deps: ConnectionDeps, use: ConnectionUse): Promise<Result<JudgedUse, StoreFault>> {
  const found = await deps.store.find(use.connectionId);
  if (!found.ok) return found;
  const connection = found.value;
  const loaded = connection === null ? err("nothing is known of it") : await loadApproved(deps, connection);
  const skill = loaded.ok ? loaded.value.manifest : { problem: loaded.error };
  const verdict = judgeConnectionUse({ use, connection, skill });
  const known = connection !== null && loaded.ok ? { of: connection, manifest: loaded.value.manifest } : null;
  return ok({ verdict, known });
}

type Opening = { readonly lent: LentSecrets; readonly step: UsingStep };

/** The gate again, at the last moment: what was granted may have been taken back since. */
async function open(deps: ConnectionDeps, { lent, step }: Opening): Promise<Result<OpenedUse, string>> {
  const { use } = step;
  const borrowed = lent.take(step);
  const judged = await judge(deps, use);
  const refused = (reason: string): Result<never, string> => {
    wipe(borrowed?.secrets ?? new Map());
    return err(reason);
  };
  if (!judged.ok) return refused(`the connection could not be looked up (${judged.error.code})`);
  const { verdict, known } = judged.value;
  if (verdict.kind === "blocked" || known === null)
    return refused(verdict.kind === "blocked" ? verdict.reason : "nothing is known of it");
  if (verdict.kind === "missing") {
    const isLent =
      borrowed?.connectionId === use.connectionId &&
      verdict.permissions.every((one) => borrowed.permissions.includes(one));
    if (!isLent) return refused(`the connection has no permission ${verdict.permissions.join(", ")}`);
  }
  const secrets = await secretsFor(deps, { ...known, borrowed: borrowed?.secrets ?? new Map() });
  const { hosts } = known.manifest;
  return ok({
    hosts: hosts.map(parseHostRule).filter((rule) => rule !== null),
    credentials: secrets.flatMap((one) => headerOf(deps, { ...known, step, one })),
    close: () => {
      for (const { secret, traces } of secrets) for (const bytes of [secret, ...traces]) bytes.fill(0);
    },
  });
}

type Held = { readonly name: string; readonly secret: Uint8Array; readonly traces: readonly Uint8Array[] };
type Known = NonNullable<JudgedUse["known"]>;

/** Only what goes to a host by the gateway: no step ever holds a secret of a connection. */
async function secretsFor(
  { vault }: ConnectionDeps,
  { of, manifest, borrowed }: Known & { readonly borrowed: ReadonlyMap<string, Uint8Array> },
): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const [name, { host }] of Object.entries(manifest.credentials)) {
    const lent = borrowed.get(name);
    const got = lent === undefined && host !== null ? await vault.get(refOf(of, name)) : null;
    const secret = lent ?? (got !== null && got.ok ? got.value : null);
    if (secret === null) continue;
    if (host === null) secret.fill(0);
    else held.push({ name, secret, traces: tracesOf(secret) });
  }
  return held;
}

type Heading = Known & { readonly step: UsingStep; readonly one: Held };

function headerOf(
  { audit, clock, log }: ConnectionDeps,
  { of, manifest, step, one }: Heading,
): readonly EgressCredential[] {
  const { host, header } = manifest.credentials[one.name] ?? { host: null, header: "" };
  const rule = host === null ? null : parseHostRule(host);
  if (rule === null) return [];
  const { runId: run_id, workItemId: work_item_id, stepIndex: index } = step;
  const data = { run_id, work_item_id, index, ref_id: refOf(of, one.name), host: hostWords(rule) };
  // Its use is in the chain before it leaves, once for the call.
  let recorded: Promise<boolean> | null = null;
  const record = async (): Promise<boolean> => {
    const draft: AuditDraft = { event: "credential_used", data, at: clock.now(), actor: SYSTEM };
    const kept = await audit.append(draft);
    if (!kept.ok) log.error("connection_unrecorded", { event: draft.event, ...kept.error });
    return kept.ok;
  };
  const reveal = async (): Promise<string | null> => {
    recorded ??= record();
    if (!(await recorded)) return null;
    const text = Buffer.from(one.secret).toString("utf8");
    return header === "authorization" ? `Bearer ${text}` : text;
  };
  return [{ host: rule, header, reveal, traces: one.traces }];
}
