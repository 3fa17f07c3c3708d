/** Passkeys: what keeps them, and what a channel and the terminal may do with them. */
import type { Instant, Result } from "#base";
import type {
  AuditActor,
  Passkey,
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyChallenge,
  PasskeyId,
  PasskeyKeepRefusal,
  PasskeyOptions,
  PasskeyPurpose,
  PasskeyRefusal,
  StoreFault,
} from "#model";
import type { Passkeys } from "./devices.ts";

/** Passkeys in `silas.db`, each of one signed-in device. Each change and use commits together with its audit entry. */
export interface PasskeyStore {
  /** Those in use, of devices that are signed in, oldest first. */
  list(): Promise<Result<readonly Passkey[], StoreFault>>;
  add(passkey: Passkey, actor: AuditActor): Promise<Result<void, PasskeyKeepRefusal | StoreFault>>;
  /** Refused where the counter did not rise. A use that is not recorded does not count. */
  recordUse(use: PasskeyUse): Promise<Result<void, PasskeyRefusal | StoreFault>>;
  remove(removal: PasskeyRemoval): Promise<Result<Passkey, PasskeyKeepRefusal | StoreFault>>;
}
export type PasskeyUse = {
  readonly passkeyId: PasskeyId;
  readonly counter: number;
  readonly purpose: PasskeyPurpose;
  readonly at: Instant;
  readonly actor: AuditActor;
};
export type PasskeyRemoval = { readonly passkeyId: PasskeyId; readonly at: Instant; readonly actor: AuditActor };

/** The passkeys of signed-in browsers. Adding a further one and removing one need an answer of one that is there. */
export interface PasskeysDoor extends Passkeys {
  list(): Promise<Result<readonly Passkey[], StoreFault>>;
  /** A challenge of its own for a proof; an answer to it counts for this purpose alone. */
  ask(asking: PasskeyAsking): Promise<Result<PasskeyChallenge, PasskeyDoorRefusal>>;
  begin(beginning: PasskeyBeginning): Promise<Result<PasskeyOptions, PasskeyDoorRefusal>>;
  add(adding: PasskeyAdding): Promise<Result<Passkey, PasskeyDoorRefusal>>;
  /** `by` is the device that removes its own passkey with a proof; null is the terminal, which needs none. */
  remove(removing: PasskeyRemoving): Promise<Result<Passkey, PasskeyDoorRefusal>>;
}
export type PasskeyDoorRefusal = PasskeyRefusal | PasskeyKeepRefusal | StoreFault;
type PasskeyAsking = {
  readonly sessionId: string;
  readonly purpose: "add" | "remove";
  /** The one to be removed; null lets any of this browser answer. */
  readonly passkeyId: PasskeyId | null;
};
export type PasskeyBeginning = {
  readonly sessionId: string;
  readonly deviceName: string;
  /** Of the page that asks, as the browser says. */
  readonly origin: string;
  readonly proof: PasskeyAssertion | null;
};
export type PasskeyAdding = {
  readonly sessionId: string;
  readonly name: string;
  readonly attestation: PasskeyAttestation;
};
export type PasskeyRemoving = {
  readonly passkeyId: PasskeyId;
  readonly by: { readonly sessionId: string; readonly proof: PasskeyAssertion | null } | null;
};
