import type { ShownTask } from "#model";

/** What the steps of a signed plan are called, in their order; none for a plan that carries none. */
export function stepNames(plan: ShownTask): readonly string[] {
  const steps: readonly unknown[] = Array.isArray(plan["steps"]) ? plan["steps"] : [];
  return steps.flatMap((step) =>
    typeof step === "object" && step !== null && "name" in step && typeof step.name === "string" ? [step.name] : [],
  );
}
