import type { ModelPurpose } from "#model";

/** How a model is asked for a purpose, and what may come of it. */
type PurposeRow = {
  /** Which of the roles speaks. */
  readonly role: "planner" | "executor";
  /** Changes whenever the words of its question change; kept with each call. */
  readonly promptVersion: number;
  /** Questions of one conversation, each with its own reservation. */
  readonly callsMax: number;
  /** Answers in a row with calls that do not fit before the conversation ends without one. */
  readonly slipsMax: number;
  /** `here`: calls are read and performed in the conversation. `run`: each answer goes to the run, which judges its calls. */
  readonly calls: "here" | "run";
};

/**
 * Every purpose in which a model is asked.
 * - `planner`: answers a message of the owner and may propose a plan.
 * - `replan`: proposes another way to do what a run could not do.
 * - `advice`: helps a run that is stuck, in words.
 * - `executor`: chooses the next call of a run. One question at a time: the run decides what follows from each answer.
 * - `probe`: finds out whether anybody answers. Nothing of the owner goes with it.
 */
export const PURPOSES: { readonly [P in ModelPurpose]: PurposeRow } = {
  planner: { role: "planner", promptVersion: 2, callsMax: 6, slipsMax: 5, calls: "here" },
  replan: { role: "planner", promptVersion: 2, callsMax: 6, slipsMax: 5, calls: "here" },
  advice: { role: "planner", promptVersion: 2, callsMax: 1, slipsMax: 0, calls: "here" },
  executor: { role: "executor", promptVersion: 2, callsMax: 1, slipsMax: 0, calls: "run" },
  probe: { role: "planner", promptVersion: 1, callsMax: 1, slipsMax: 0, calls: "here" },
};
