import { err, ok } from "#base";
import type { Passkeys } from "#ports";

/** Where no passkey can be asked for, as in a terminal: nothing is demanded of it and nothing counts as one. */
export const NO_PASSKEYS: Passkeys = {
  availableFor: async () => ok(false),
  challengeFor: async () => err({ code: "passkey_missing" }),
  verify: async () => err({ code: "passkey_missing" }),
};
