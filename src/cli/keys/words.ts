import { wordPartsFor, type ChainBroken, type DeviceKeyRefusal, type SigningError } from "#model";
import { CommandFailure } from "../terminal/failure.ts";

/** Ends a command with the shared words for what the vault or the registry refused. */
export function keysFailure(error: SigningError | ChainBroken | DeviceKeyRefusal): CommandFailure {
  const { what, kept, next } = wordPartsFor(error);
  return new CommandFailure({
    what,
    kept,
    ...(next === "" ? {} : { next }),
    ...("cause" in error ? { cause: error.cause } : {}),
  });
}
