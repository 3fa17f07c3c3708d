import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "#base";
import type { SandboxRefusal } from "#model";
import type { EgressGateway, Randomness, SandboxCommand } from "#ports";
import { O_PATH } from "./granted-paths.ts";

/** A way out for one run: the socket of a gateway that knows its hosts, opened so that it can be shown to the run. */
export type WayOut = { readonly handle: number; close(): Promise<void> };

type Place = {
  readonly egress: EgressGateway | null;
  /** Outside of the workspace: no program finds the socket of another. */
  readonly folder: string;
  readonly randomness: Randomness;
};

/** Null for a run without network. Where nothing can keep a run to its hosts, it does not begin. [VER-07] */
export async function openWayOut(
  { egress, folder, randomness }: Place,
  { network }: SandboxCommand,
): Promise<Result<WayOut | null, SandboxRefusal>> {
  if (network === undefined) return ok(null);
  if (egress === null) return err({ code: "sandbox_network_refused", reason: "no_gateway" });
  const path = join(folder, `way-${Buffer.from(randomness.bytes(8)).toString("hex")}`);
  const door = await egress.open(path, network);
  if (!door.ok) return err({ code: "sandbox_network_refused", reason: "not_opened" });
  const handle = openSync(path, O_PATH | constants.O_NOFOLLOW);
  return ok({
    handle,
    async close() {
      closeSync(handle);
      await door.value.close();
    },
  });
}
