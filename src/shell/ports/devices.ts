/** The keys of signed-in browsers, and strong proof by a passkey. */
import type { Instant, Result } from "#base";
import type {
  AuditActor,
  DeviceKeyRefusal,
  DeviceKeyState,
  DeviceOffer,
  OwnerKey,
  PasskeyAssertion,
  PasskeyChallenge,
  PasskeyRefusal,
  SigningError,
  StoreFault,
  WaitingDevice,
} from "#model";

/** Strong proof by a passkey. An assertion counts once, for the challenge it was asked with and the session that asked. */
export interface Passkeys {
  availableFor(sessionId: string): Promise<Result<boolean, StoreFault>>;
  /** The challenge is SHA-256 of `silas-passkey-v1` and a line break before these bytes: those of the first token. */
  challengeFor(of: {
    readonly sessionId: string;
    readonly bytes: Uint8Array;
  }): Promise<Result<PasskeyChallenge, PasskeyRefusal | StoreFault>>;
  verify(of: {
    readonly sessionId: string;
    readonly challenge: string;
    readonly assertion: PasskeyAssertion;
  }): Promise<Result<{ readonly credentialId: string }, PasskeyRefusal | StoreFault>>;
}

/**
 * The keys of signed-in browsers. A browser offers a key with a proof that it holds the private half; the terminal
 * confirms it by the code that both sides show. INVARIANT: nothing but the terminal makes an offered key count.
 */
export interface DeviceKeysDoor {
  /** What this session is to sign next; one at a time, and good for one offer. */
  begin(sessionId: string): { readonly challenge: string; readonly expiresAt: Instant };
  /** A new offer of a session takes the place of the one before. */
  offer(offer: DeviceOffer): Promise<Result<WaitingDevice, DeviceKeyRefusal | StoreFault>>;
  current(sessionId: string): Promise<Result<DeviceKeyState, StoreFault>>;
  waiting(): readonly WaitingDevice[];
  /** The fifth wrong code in a row ends everything that waits. */
  confirm(code: string, actor: AuditActor): Promise<Result<OwnerKey, DeviceKeyRefusal | SigningError>>;
  /** Told of every offer that begins to wait. */
  onWaiting(listener: (device: WaitingDevice) => void): () => void;
}
