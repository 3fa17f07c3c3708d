import { err } from "#base";
import { hostWords, type ExecutionEnvelope, type HostRule } from "#model";
import type { SandboxSpace, WorkStore } from "#ports";
import { callIn, connectionUseIn } from "#work";
import type { ConnectionUses } from "./uses.ts";

type Step = {
  readonly envelope: Pick<ExecutionEnvelope, "executionId" | "stepIndex" | "action" | "args">;
};
type StepParts = { readonly connections: ConnectionUses; readonly store: Pick<WorkStore, "find"> };

/**
 * The same space for one step. A script that uses a connection reaches the hosts of that connection alone, as far as its
 * plan names them, with what opens it added outside of the sandbox; any other call is as it was.
 */
export function withConnection(
  { connections, store }: StepParts,
  { space, step }: { readonly space: SandboxSpace; readonly step: Step },
): SandboxSpace {
  const { executionId, stepIndex } = step.envelope;
  const use = connectionUseIn(callIn(step.envelope));
  if (use === null) return space;
  return {
    ...space,
    async run(command) {
      const runId = executionId.slice(0, executionId.lastIndexOf("."));
      const run = await store.find(runId);
      const workItemId = run.ok ? run.value?.workItemId : undefined;
      if (workItemId === undefined || command.network === undefined)
        return notStarted("its connection reaches nothing");
      const opened = await connections.open({ use, runId, stepIndex, workItemId });
      if (!opened.ok) return notStarted(opened.error);
      try {
        const { hosts, credentials } = opened.value;
        const { network } = command;
        return await space.run({ ...command, network: { ...network, hosts: both(network.hosts, hosts), credentials } });
      } finally {
        opened.value.close();
      }
    },
  };
}

const both = (planned: readonly HostRule[], ofSkill: readonly HostRule[]): readonly HostRule[] => {
  const known = new Set(ofSkill.map(hostWords));
  return planned.filter((host) => known.has(hostWords(host)));
};

const notStarted = (detail: string) => err({ code: "sandbox_not_started", detail } as const);
