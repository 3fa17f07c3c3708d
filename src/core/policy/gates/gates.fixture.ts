import type { Gate, GateFiring } from "#model";
import type { GateFact, ProviderAnswer } from "./answer.ts";
import { beginFiring, closeFiring, nextGate, takeFact } from "./firing.ts";

export const answered = (answer: unknown): GateFact => ({ kind: "answered", answer });
export const passing: ProviderAnswer = { action: "continue", reason: "fine" };
export const blocking: ProviderAnswer = { action: "block", reason: "no" };
export const asking: ProviderAnswer = { action: "require_approval", reason: "ask" };
export const rewriting = (modified: unknown, action: ProviderAnswer["action"] = "continue"): ProviderAnswer => ({
  action,
  reason: "changed",
  modified_context: modified,
});

type Play = {
  readonly system?: readonly Gate[];
  readonly firing: GateFiring;
  readonly facts?: (gate: Gate, context: GateFiring["context"]) => GateFact;
  readonly evaluationsMax?: number;
};

/** Asks every gate in order, with these facts for answers, and says what came out and who was asked. */
export function play({ system = [], firing, facts = () => answered(passing), evaluationsMax = 32 }: Play) {
  const asked: string[] = [];
  let state = beginFiring({ system, firing, evaluationsMax });
  for (let gate = nextGate(state); gate !== null; gate = nextGate(state)) {
    asked.push(gate.name);
    state = takeFact(state, facts(gate, state.context));
  }
  return { ...closeFiring(state), asked, quality: state.quality.map(({ name }) => name) };
}
