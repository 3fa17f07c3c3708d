import type { HoldDoor, KeysDoor, Log } from "#ports";
import type { AuditLife } from "../audit-life.ts";

type Around = {
  readonly hold: Pick<HoldDoor, "current" | "whenOpen">;
  readonly life: Pick<AuditLife, "mark">;
  readonly log: Log;
};

/** The first signing key, made where there is none, and someone to vouch for those there are. */
export async function prepareKeys(keys: KeysDoor, { hold, life, log }: Around): Promise<void> {
  // A page accepts an older database with a key that counts, before anything may be written.
  if (hold.current() !== null) await keys.vouch();
  await hold.whenOpen(async () => {
    const prepared = await keys.prepare();
    // Without a signing key nothing is signed; everything that needs no signature still works.
    if (!prepared.ok) log.error("signing_key_unavailable", prepared.error);
    // The first key signs the head at once: from here on a chain without a signed head was not written by this Silas.
    else if (prepared.value !== null) await life.mark();
  });
}
