import { err, ok, type Result } from "#base";
import { acceptStatement, type KeyError, type KeyId, type StoreFault } from "#model";
import type { AcceptedHold, AcceptRefusal, Clock, HoldDoor, HoldStore, KeyRegistry } from "#ports";
import { verifySigned } from "../keys/signer.ts";

type HoldDeps = {
  readonly store: HoldStore;
  readonly registry: KeyRegistry;
  readonly clock: Clock;
  /** Told when it was accepted. */
  readonly onChanged: () => void;
};

/**
 * Accepting a database that may be older brings back what was revoked, stopped or declined since it was copied. So a
 * session alone does not do it: a device signs for it with its own key, or the owner does it at the terminal.
 */
export function createHoldDoor({ store, registry, clock, onChanged }: HoldDeps): HoldDoor {
  const listeners: (() => Promise<void>)[] = [];
  return {
    current: store.current,
    async accept(accepting) {
      const { seq, hash, actor } = accepting;
      const hold = store.current();
      if (hold === null) return err({ code: "hold_over" });
      if (hold.seq !== seq || hold.hash !== hash) return err({ code: "hold_differs" });
      const allowed = await judgeActor(registry, accepting);
      if (!allowed.ok) return allowed;
      const accepted = store.accept({ at: clock.now(), actor });
      if (!accepted.ok) return accepted;
      for (const listener of listeners) await listener();
      onChanged();
      return ok();
    },
    onAccepted: (listener) => void listeners.push(listener),
    async whenOpen(work) {
      if (store.current() === null) await work();
      else listeners.push(work);
    },
  };
}

async function judgeActor(
  registry: KeyRegistry,
  { seq, hash, actor, signed }: AcceptedHold,
): Promise<Result<void, AcceptRefusal | KeyError | StoreFault>> {
  if (actor.kind === "terminal") return ok();
  if (actor.kind !== "owner" || signed === null) return err({ code: "device_signature_needed" });
  const { session_id: sessionId } = actor;
  const { keyId, signature } = signed;
  const bytes = Buffer.from(acceptStatement({ seq, hash, sessionId }));
  const verified = await verifySigned(registry, { keyId: keyId as KeyId, bytes, signature });
  if (!verified.ok) return verified;
  // A key counts for the session it was enrolled in, and for no other.
  return verified.value.sessionId === sessionId ? ok() : err({ code: "device_signature_needed" });
}
