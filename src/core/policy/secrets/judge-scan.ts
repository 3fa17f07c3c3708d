import { err, ok, type Result } from "#base";
import type { SecretRefusal, SecretScan } from "#model";

/** Refuses a text with a credential in it, and a text whose scan failed. */
export function judgeScan(scan: SecretScan): Result<void, SecretRefusal> {
  if (!scan.ok) return err({ code: "secret_scan_failed", reason: scan.error });
  const [first] = scan.value;
  return first === undefined ? ok() : err({ code: "holds_secret", found: first.kind });
}
