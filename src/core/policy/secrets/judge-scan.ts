import { err, ok, type Result } from "#base";
import type { SecretRefusal, SecretScan } from "#model";

/** What a scan means for a text that is to be stored: one credential refuses it, and so does a scan that failed. */
export function judgeScan(scan: SecretScan): Result<void, SecretRefusal> {
  if (!scan.ok) return err({ code: "secret_scan_failed", reason: scan.error });
  const [first] = scan.value;
  return first === undefined ? ok() : err({ code: "holds_secret", found: first.kind });
}
