import { ok, type Result } from "#base";
import type { ConnectionManifest, SecureInputRefusal, VaultFault } from "#model";
import type { KeptConnection } from "#ports";
import { SYSTEM, type ConnectionDeps } from "./deps.ts";
import { hostOf, refOf } from "./run-script.ts";

type Handing = {
  readonly of: Pick<KeptConnection, "record" | "service">;
  readonly manifest: ConnectionManifest;
  readonly handed: ReadonlyMap<string, Uint8Array>;
};

/** Puts into the vault what a script handed over; what is there already is replaced. The bytes are overwritten. */
export async function keepSecrets(
  { secrets, inputs, vault, clock }: ConnectionDeps,
  { of, manifest, handed }: Handing,
): Promise<Result<void, SecureInputRefusal | VaultFault>> {
  const listed = await inputs.list(clock.now());
  if (!listed.ok) return listed;
  for (const [name, secret] of handed) {
    const refId = refOf(of, name);
    const isKnown = listed.value.some((one) => one.refId === refId && one.state === "fulfilled");
    if (isKnown) {
      const put = await vault.put(refId, secret);
      secret.fill(0);
      if (!put.ok) return put;
      continue;
    }
    const host = hostOf(manifest, name);
    const guidance = { instructions: `The connection to ${of.service} uses it.`, helpUrl: null };
    const asked = await secrets.ask(
      { refId, label: `${of.service} ${name}`.slice(0, 80), inputHint: null, guidance, host },
      SYSTEM,
    );
    if (!asked.ok) return asked;
    const stored = await secrets.store({ refId, secret, actor: SYSTEM });
    if (!stored.ok) return stored;
  }
  return ok();
}

/** Removes every secret of a connection, and whatever is still asked for. [SETUP-16] */
export async function removeSecrets(
  { secrets }: ConnectionDeps,
  { record }: Pick<KeptConnection, "record">,
): Promise<Result<void, SecureInputRefusal | VaultFault>> {
  const listed = await secrets.list();
  if (!listed.ok) return listed;
  for (const { refId } of listed.value) {
    if (!refId.startsWith(`${record.connectionId}.`)) continue;
    const removed = await secrets.remove(refId, SYSTEM);
    if (!removed.ok) return removed;
  }
  return ok();
}
