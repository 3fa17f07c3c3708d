import type { WorkItem } from "#model";

/** What of a plan is known to a run that a model carries out. */
export type ModelPlan = Pick<WorkItem, "executor" | "tools" | "files">;

/** Whether a model chooses what is done. Its steps are then those it has chosen so far in this attempt. */
export const isModelRun = ({ executor }: Pick<WorkItem, "executor">): boolean => executor === "model";
