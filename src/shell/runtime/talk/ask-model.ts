import { err, ok, type Result } from "#base";
import type { AgentResponse, ModelAnswer, ModelRefusal, Taint } from "#model";
import type { Leaving } from "#ports";
import { FALLBACK, readAnswer, repairPrompt } from "#turn";
import type { TalkDeps } from "./deps.ts";

export type AskingDeps = Pick<TalkDeps, "models" | "audit" | "clock" | "randomness" | "halting">;
export type Asking = {
  /** The message that is answered; null for a question of Silas's own. */
  readonly messageId: string | null;
  readonly system: string;
  readonly prompt: string;
  /** Of all that the question holds. */
  readonly taint: Taint;
  readonly outputTokensMax: number;
};
/** No tool is offered, so that all that is said is text. */
type TextAnswer = Pick<ModelAnswer, "tokensIn" | "tokensOut" | "bytesReceived"> & { readonly text: string };
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

const tokensOf = ({ tokensIn, tokensOut }: TextAnswer): number => tokensIn + tokensOut;

/** One question, with its receipt: what leaves is on record before it does, and what came of it after. */
export async function askOnce(
  { models, audit, clock, randomness, halting }: AskingDeps,
  { messageId, taint, system, prompt, outputTokensMax }: Asking,
): Promise<Result<TextAnswer, ModelRefusal>> {
  const call = { call_id: Buffer.from(randomness.bytes(8)).toString("hex"), message_id: messageId };
  const actor = { kind: "system" } as const;
  let hasLeft = false;
  const onLeave = async ({ host, model, bytes, sha256, keyRef }: Leaving): Promise<boolean> => {
    const data = { ...call, host, model, bytes_sent: bytes, sha256, taint, key_ref: keyRef };
    hasLeft = (await audit.append({ event: "model_asked", data, at: clock.now(), actor })).ok;
    return hasLeft;
  };
  const answer = await models.ask({
    system: [system],
    messages: [{ role: "user", parts: [{ kind: "text", text: prompt }] }],
    tools: [],
    outputTokensMax,
    onLeave,
    signal: halting.signal(),
  });
  const at = clock.now();
  if (!answer.ok) {
    const data = { ...call, reason: answer.error.code };
    if (hasLeft) await audit.append({ event: "model_gave_nothing", data, at, actor });
    return answer;
  }
  const { parts, bytesReceived, tokensIn, tokensOut } = answer.value;
  const data = { ...call, bytes_received: bytesReceived, tokens_in: tokensIn, tokens_out: tokensOut };
  await audit.append({ event: "model_answered", data, at, actor });
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return ok({ text, bytesReceived, tokensIn, tokensOut });
}
