import type { Config } from "#model";
import type { ApprovalsDoor, ApprovalStore, ConsultStore, GateRunner, WorkStore } from "#ports";
import type { ReadYaml } from "#work";
import type { ModelCallDeps, ReaderDeps } from "#engine";
import type { Halting } from "../../talk/halting.ts";

/** What asking the planner about runs needs. */
export type ConsultDeps = ReaderDeps &
  ModelCallDeps & {
    readonly consults: ConsultStore;
    readonly halting: Halting;
    readonly store: Pick<WorkStore, "find" | "grantOf">;
    readonly approvals: Pick<ApprovalStore, "find">;
    /** Asks the owner about a plan, and does nothing else. */
    readonly proposals: Pick<ApprovalsDoor, "propose" | "all">;
    readonly gates: GateRunner;
    readonly readYaml: ReadYaml;
    readonly isStopped: () => Promise<boolean>;
    readonly onChanged: () => void;
    readonly settings: ConsultSettings;
  };
type ConsultSettings = {
  readonly constitution: readonly string[];
  readonly outputTokensMax: number;
  readonly tokensPerDay: number;
};
/** What of the configuration it follows. */
export type ConsultConfig = Pick<Config, "bus"> & {
  readonly execution: Pick<Config["execution"], "maxReplanDepth">;
  readonly models: Pick<Config["models"], "maxOutputTokens" | "tokensPerDay">;
  readonly personality: Pick<Config["personality"], "constitution">;
};
