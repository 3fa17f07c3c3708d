import type { Words } from "../words.ts";
import type { DeviceDecisionRefusal, DeviceKeyRefusal } from "./device-decisions.ts";

/** What is refused about the keys of browsers, and about approvals signed with them. */
export type DevicesError =
  | DeviceKeyRefusal
  | DeviceDecisionRefusal
  | { readonly code: "device_only" }
  | { readonly code: "device_signature_needed" };
type Table = {
  readonly [C in DevicesError["code"]]: (error: Extract<DevicesError, { readonly code: C }>) => Words;
};

const refused = (what: string, next = ""): Words => ({ what, kept: "Nothing was changed.", next });
const notApproved = (what: string, next: string): Words => ({
  what,
  kept: "Nothing was approved and nothing runs.",
  next,
});
const SET_UP = "Set this device up under Settings, Keys.";

export const DEVICE_WORDS: Table = {
  device_only: () => refused("Only a signed-in browser has a key of its own.", "Open Silas with `silas open`."),
  device_signature_needed: () => notApproved("An approval in a browser is signed by the browser's own key.", SET_UP),
  device_key_differs: () => notApproved("This key belongs to another device.", SET_UP),
  mint_missing: () =>
    notApproved("This approval took too long, or Silas was restarted in between.", "Approve it again."),
  signatures_differ: () => notApproved("The signatures are not those of this approval.", "Approve it again."),
  challenge_unknown: () => refused("This took too long, or was started again elsewhere.", "Begin again."),
  proof_invalid: () => refused("The device did not show that it holds this key.", "Begin again."),
  public_key_taken: () => refused("This key is already enrolled.", "Make a new one on this device."),
  no_device_waits: () =>
    refused("No device waits to be confirmed.", "Open Silas in the browser, and set it up under Settings, Keys."),
  device_code_wrong: ({ triesLeft }) =>
    refused(
      "No waiting device shows this code.",
      triesLeft === 0
        ? "No device is waiting any more: begin again on the device."
        : "Compare it with the device and try again.",
    ),
};
