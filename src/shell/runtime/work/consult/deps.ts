import type { Config } from "#model";
import type { ApprovalsDoor, ApprovalStore, ConsultStore, GateRunner, WorkStore } from "#ports";
import type { ReadYaml } from "#work";
import type { ReaderDeps } from "#engine";
import type { DayTokens } from "../../talk/day-tokens.ts";
import type { AskingDeps } from "../../talk/ask-model.ts";

/** What asking the planner about runs needs. */
export type ConsultDeps = ReaderDeps &
  AskingDeps & {
    readonly consults: ConsultStore;
    readonly counts: DayTokens["counts"];
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
