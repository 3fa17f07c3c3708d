import { err, ok } from "#base";
import type { SkillInstall } from "#model";
import type { ApprovalStore, SkillStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { removedDraft, settledDraft } from "./drafts.ts";

type Parts = { readonly recordAct: RecordAct; readonly approvals: Pick<ApprovalStore, "list"> };

const counts = ({ state }: SkillInstall): boolean => state === "active" || state === "failed";

/** The in-memory twin of the skill store: the same behaviour in the plainest code. */
export function createMemorySkillStore({ recordAct, approvals }: Parts): SkillStore {
  let kept: readonly SkillInstall[] = [];
  const change = (name: string, state: SkillInstall["state"]): void => {
    kept = kept.map((one) => (one.name === name && counts(one) ? { ...one, state } : one));
  };
  return {
    current: async () => ok(kept.filter(counts).toSorted((a, b) => (a.name < b.name ? -1 : 1))),
    find: async (name) => ok(kept.find((one) => one.name === name && counts(one)) ?? null),
    unsettled: async () => {
      const listed = await approvals.list(["approved"]);
      if (!listed.ok) return err(listed.error);
      const isSettled = new Set(kept.map(({ requestId }) => requestId));
      return ok(listed.value.filter(({ kind, requestId }) => kind === "skill_install" && !isSettled.has(requestId)));
    },
    settle: async (settled) => {
      if (kept.some(({ requestId }) => requestId === settled.requestId)) return ok();
      const { actor: _actor, ...install } = settled;
      change(install.name, "replaced");
      kept = [...kept, install];
      recordAct(settledDraft(settled));
      return ok();
    },
    remove: async (removal) => {
      const install = kept.find((one) => one.name === removal.name && counts(one));
      if (install === undefined) return ok(false);
      change(removal.name, "removed");
      recordAct(removedDraft(install, removal));
      return ok(true);
    },
  };
}
