import { err, ok } from "#base";
import type { SandboxRun } from "#model";
import type { SandboxSpace } from "#ports";
import type { HeldCredentials, NamingCredentials } from "./run-credentials.ts";

/**
 * The same space of a run that uses secrets. INVARIANT: whatever any program of it prints is looked through before anybody
 * else sees it, those of the steps and checks among them that were given no secret: one may leave it for the other.
 */
export function guardSpace(space: SandboxSpace, held: HeldCredentials): SandboxSpace {
  return {
    ...space,
    // A line is told as it is printed, and what is cut into lines cannot be looked through.
    async run({ onLine: _unheard, ...command }) {
      const ran = await space.run(command);
      if (!ran.ok) return ran;
      const { stdout, stderr } = ran.value;
      const found = held.find(stdout.bytes) ?? held.find(stderr.bytes);
      if (found === null) return ok({ ...ran.value, stdout: whole(stdout, held), stderr: whole(stderr, held) });
      await held.withheld(found);
      return err({ code: "sandbox_output_withheld", refId: found });
    },
    close: () => space.close().finally(held.letGo),
  };
}

type Printed = SandboxRun["stdout"];

/** Where output was cut off, a secret may have been cut off with it. */
function whole({ bytes, isTruncated }: Printed, { traceBytes }: HeldCredentials): Printed {
  return { bytes: isTruncated ? bytes.subarray(0, Math.max(0, bytes.length - traceBytes)) : bytes, isTruncated };
}

/** The same space for one step: its program is given what the plan names for it, and no other program is. */
export function handInto(
  space: SandboxSpace,
  given: { readonly held: HeldCredentials; readonly envelope: NamingCredentials },
) {
  return {
    ...space,
    run: async (command): ReturnType<SandboxSpace["run"]> => {
      const handed = await given.held.handOver(given.envelope);
      if (handed === null) return err({ code: "sandbox_not_started", detail: "the use of a secret was not recorded" });
      const { pipes, credentials } = handed;
      const network = command.network === undefined ? {} : { network: { ...command.network, credentials } };
      return space.run({ ...command, ...network, ...(Object.keys(pipes).length === 0 ? {} : { pipes }) });
    },
  } satisfies SandboxSpace;
}
