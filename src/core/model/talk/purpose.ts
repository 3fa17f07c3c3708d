/** Why a model is asked. Each purpose is a row of `PURPOSES` in `#turn`. */
export type ModelPurpose = "planner" | "replan" | "advice" | "executor" | "probe";
