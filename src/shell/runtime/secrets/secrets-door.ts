import { assert, err, instantFromMs, LIMITS, msOfInstant, ok, type Instant, type Result } from "#base";
import {
  channelOf,
  isReservedRef,
  supportsSecureInput,
  type AskedSecret,
  type AuditActor,
  type ListedSecret,
  type SecretInput,
  type SecretRef,
  type SecureInputCompleted,
  type SecureInputRefusal,
  type StoreFault,
  type VaultFault,
  type VaultPlace,
  type WantedSecret,
} from "#model";
import { createMutex, type Clock, type SecretsDoor, type SecureInputStore, type Vault } from "#ports";

type SecretsDoorDeps = {
  readonly vault: Vault;
  readonly inputs: SecureInputStore;
  readonly clock: Clock;
  /** Told after every change, so that pages look again. */
  readonly onChanged: () => void;
};

/**
 * Secrets on their way into the vault. INVARIANT: no method of this door gives a secret out, and none writes under a
 * name that Silas keeps for itself.
 */
export function createSecretsDoor(deps: SecretsDoorDeps): SecretsDoor {
  const { vault, inputs, clock } = deps;
  // Of two answers to one request the second finds it answered.
  const take = createMutex();
  let place: VaultPlace | null = null;
  return {
    ask: (wanted, actor) => ask(deps, { wanted, actor }),
    pending: async () => {
      const listed = await inputs.list(clock.now());
      if (!listed.ok) return listed;
      return ok(listed.value.filter(({ refId, state }) => state === "pending" && !isReservedRef(refId)));
    },
    list: () => list(deps),
    store: (input) => take(() => store(deps, input)).finally(() => void input.secret.fill(0)),
    remove: (ref, actor) => take(() => remove(deps, { ref, actor })),
    vault: async () => {
      if (place !== null) return place;
      const { backend, opensWith, state } = await vault.status();
      // A vault keeps its backend for good once it holds something; asking it costs the opening of the vault.
      if (state === "unlocked") place = { backend, opensWith };
      return { backend, opensWith };
    },
  };
}

type Asking = { readonly wanted: WantedSecret; readonly actor: AuditActor };

async function ask(
  { inputs, clock, onChanged }: SecretsDoorDeps,
  { wanted, actor }: Asking,
): Promise<Result<AskedSecret, SecureInputRefusal | StoreFault>> {
  const { refId } = wanted;
  if (isReservedRef(refId)) return err({ code: "secret_ref_reserved", refId });
  const createdAt = clock.now();
  const known = await inputs.list(createdAt);
  if (!known.ok) return known;
  // What was saved for one host is not saved for any by being replaced; only removing it first does that.
  const host = wanted.host ?? known.value.find((request) => request.refId === refId)?.host ?? null;
  const asked = await inputs.ask({
    ...wanted,
    host,
    createdAt,
    expiresAt: laterBy(createdAt, LIMITS.secretAskedMs),
    state: "pending",
    requestedBy: actor,
  });
  if (asked.ok && asked.value.isNew) onChanged();
  return asked;
}

async function list({ vault, inputs, clock }: SecretsDoorDeps): Promise<Result<readonly ListedSecret[], VaultFault>> {
  const requests = await inputs.list(clock.now());
  if (!requests.ok) return requests;
  const stored = await vault.list();
  if (!stored.ok) return stored;
  const requestsByRef = new Map(requests.value.map((request) => [request.refId, request]));
  const refs = [...new Set([...requestsByRef.keys(), ...stored.value])].filter((ref) => !isReservedRef(ref));
  return ok(
    refs.toSorted().map((refId) => ({
      refId,
      request: requestsByRef.get(refId) ?? null,
      isStored: stored.value.includes(refId),
    })),
  );
}

/**
 * The vault first and the record of it second: they are two files, and a cut in between leaves a request that still
 * waits and can be answered again, never one that is said to be stored and is not. [SECRET-08]
 */
async function store(
  { vault, inputs, clock, onChanged }: SecretsDoorDeps,
  { refId, secret, actor }: SecretInput,
): Promise<Result<SecureInputCompleted, SecureInputRefusal | VaultFault>> {
  if (isReservedRef(refId)) return err({ code: "secret_not_asked", refId });
  // Only a way with a place of its own to type one brings a secret. [SECRET-11]
  const channel = channelOf(actor);
  if (channel !== null && !supportsSecureInput(channel)) return err({ code: "secure_input_unsupported", refId });
  const at = clock.now();
  // Before the vault is touched: what nobody waits for is not written. [SECRET-06] [SECRET-07]
  const asked = await inputs.find(refId, at);
  if (!asked.ok) return asked;
  const put = await putQuietly(vault, { refId, secret });
  if (!put.ok) return put;
  const fulfilled = await inputs.fulfil(refId, { at, actor });
  if (!fulfilled.ok) return fulfilled;
  onChanged();
  return ok({ refId, success: true });
}

/** What a vault throws or gives as a cause may hold what it was given, so neither goes further than this. [SECRET-09] */
async function putQuietly(
  vault: Vault,
  { refId, secret }: Pick<SecretInput, "refId" | "secret">,
): Promise<Result<void, VaultFault>> {
  try {
    const put = await vault.put(refId, secret);
    if (put.ok || !("cause" in put.error)) return put;
    const { cause: _cause, ...fault } = put.error;
    return err(fault);
  } catch {
    return err({ code: "store_failed", retryable: false });
  }
}

type Removal = { readonly ref: SecretRef; readonly actor: AuditActor };

async function remove(
  deps: SecretsDoorDeps,
  { ref, actor }: Removal,
): Promise<Result<void, SecureInputRefusal | VaultFault>> {
  const listed = await list(deps);
  if (!listed.ok) return listed;
  if (!listed.value.some(({ refId }) => refId === ref)) return err({ code: "secret_not_asked", refId: ref });
  const gone = await deps.vault.remove(ref);
  if (!gone.ok) return gone;
  const removed = await deps.inputs.remove(ref, { at: deps.clock.now(), actor });
  if (removed.ok) deps.onChanged();
  return removed;
}

function laterBy(at: Instant, ms: number): Instant {
  const later = instantFromMs(msOfInstant(at) + ms);
  assert(later.ok, "a request for a secret ends within the calendar");
  return later.value;
}
