import { err, ok, type Result } from "#base";
import type { AgentResponse, ModelRefusal, Taint } from "#model";
import type { Leaving, ModelAnswer } from "#ports";
import { FALLBACK, readAnswer, repairPrompt } from "#turn";
import type { Halting, TalkDeps } from "./deps.ts";

export type AskingDeps = Pick<TalkDeps, "models" | "audit" | "clock" | "randomness"> & {
  readonly halting: Pick<Halting, "signal" | "halt">;
};
export type Asking = {
  /** The message that is answered; null for a question of Silas's own. */
  readonly messageId: string | null;
  readonly system: string;
  readonly prompt: string;
  /** Of all that the question holds. */
  readonly taint: Taint;
  readonly outputTokensMax?: number;
};
type Structured = { readonly response: AgentResponse; readonly tokens: number };
type StructuredRefusal = ModelRefusal & { readonly tokens: number };

/**
 * The one way in which something a model said becomes an answer. What does not fit is asked for once more and never a
 * third time; whatever else goes wrong is not repaired. [STRUCT-01] [STRUCT-02] [STRUCT-05]
 */
export async function askStructured(deps: AskingDeps, asking: Asking): Promise<Result<Structured, StructuredRefusal>> {
  const first = await askOnce(deps, asking);
  if (!first.ok) return err({ ...first.error, tokens: 0 });
  const read = readAnswer(first.value.text);
  if (read.ok) return ok({ response: read.value, tokens: tokensOf(first.value) });
  const second = await askOnce(deps, { ...asking, prompt: repairPrompt(asking.prompt, read.error) });
  if (!second.ok) return err({ ...second.error, tokens: tokensOf(first.value) });
  const repaired = readAnswer(second.value.text);
  const tokens = tokensOf(first.value) + tokensOf(second.value);
  return ok({ response: repaired.ok ? repaired.value : FALLBACK, tokens });
}

const tokensOf = ({ tokensIn, tokensOut }: ModelAnswer): number => tokensIn + tokensOut;

/** One question, with its receipt: what leaves is on record before it does, and what came of it after. */
export async function askOnce(
  { models, audit, clock, randomness, halting }: AskingDeps,
  { messageId, taint, ...question }: Asking,
): Promise<Result<ModelAnswer, ModelRefusal>> {
  const call = { call_id: Buffer.from(randomness.bytes(8)).toString("hex"), message_id: messageId };
  const actor = { kind: "system" } as const;
  let hasLeft = false;
  const onLeave = async ({ host, model, bytes, sha256, keyRef }: Leaving): Promise<boolean> => {
    const data = { ...call, host, model, bytes_sent: bytes, sha256, taint, key_ref: keyRef };
    hasLeft = (await audit.append({ event: "model_asked", data, at: clock.now(), actor })).ok;
    return hasLeft;
  };
  const answer = await models.ask({ ...question, onLeave, signal: halting.signal(messageId) });
  const at = clock.now();
  if (answer.ok) {
    const { bytesReceived: bytes_received, tokensIn: tokens_in, tokensOut: tokens_out } = answer.value;
    const data = { ...call, bytes_received, tokens_in, tokens_out };
    await audit.append({ event: "model_answered", data, at, actor });
  } else if (hasLeft) {
    await audit.append({ event: "model_gave_nothing", data: { ...call, reason: answer.error.code }, at, actor });
  }
  return answer;
}
