import type { Step, WireRecord } from "#model";
import { isSkillCall, type SandboxCall, type SkillToolCall, type ToolCall } from "#tools";
import type { Report } from "../problems.ts";
import { readStep } from "./tool-call.ts";

/** What a step uses of a connection: which one, and what of it. */
export type ConnectionUse = {
  readonly connectionId: string;
  readonly skill: string;
  /** The script, as a path inside of the skill. */
  readonly file: string;
  readonly permissions: readonly string[];
};

/** The same of a call as a sandbox is asked to run it. */
export const connectionUseIn = ({ script }: SandboxCall): ConnectionUse | null =>
  script === undefined ? null : namedBy(script);

/** Null for a call that uses none. */
export const connectionUse = (call: ToolCall): ConnectionUse | null => (isSkillCall(call) ? namedBy(call.args) : null);

function namedBy({ connection: connectionId, skill, file, permissions }: SkillToolCall["args"]): ConnectionUse | null {
  return connectionId === null ? null : { connectionId, skill, file, permissions };
}

type StepOfPlan = { readonly type: unknown; readonly report: Report };

/** What a step says of its connection must be what happens: something of it is used, by a script that is online. [PERM-02] */
export function checkConnection(step: WireRecord, { type, report }: StepOfPlan): void {
  // What is no call at all was refused where it stands.
  const read = step["args"] === null ? null : readStep(step as Pick<Step, "run" | "tool" | "args">);
  if (read === null || !read.ok || !isSkillCall(read.value)) return;
  const { connection, permissions } = read.value.args;
  if (connection === null) {
    if (permissions.length > 0)
      report(["args", "connection"], { code: "missing_key", expected: "the connection they are of" });
    return;
  }
  // A repair runs with nobody looking.
  if (type !== "task" && type !== null) report(["args", "connection"], { code: "not_for_type", expected: "task" });
  if (permissions.length === 0)
    report(["args", "permissions"], { code: "missing_key", expected: "what the script uses of it" });
  if (new Set(permissions).size !== permissions.length) report(["args", "permissions"], { code: "name_repeated" });
  if (step["network"] !== true) report(["args", "connection"], { code: "connection_offline" });
}
