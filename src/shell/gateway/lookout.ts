import { err, LIMITS, ok, type Result } from "#base";
import type { AnswerPart, ModelFailure, ModelRefusal, ToolCallPart } from "#model";

/** Looks for texts in what passes. Nothing of a text leaves before it is known that the text is not there. */
type Lookout = {
  /** What may go on; null when one of the texts was found, and then nothing goes on any more. */
  take(chunk: Uint8Array): Uint8Array | null;
  /** What was held back and may go on after all. */
  end(): Uint8Array;
};

export function createLookout(texts: readonly Uint8Array[]): Lookout {
  let held = Buffer.alloc(0);
  return {
    take(chunk) {
      const seen = Buffer.concat([held, chunk]);
      if (holdsAny(seen, texts)) return null;
      // Only an end that could be the beginning of a text waits, so that a stream is not delayed by the rest.
      const free = seen.length - Math.max(0, ...texts.map((text) => beginningBytes(seen, text)));
      held = seen.subarray(free);
      return seen.subarray(0, free);
    },
    end: () => held,
  };
}

/** How many of the last bytes are the first ones of a text. */
function beginningBytes(seen: Buffer, text: Uint8Array): number {
  const [first] = text;
  if (first === undefined) return 0;
  let at = seen.indexOf(first, Math.max(0, seen.length - text.length + 1));
  while (at !== -1 && !seen.subarray(at).equals(text.subarray(0, seen.length - at))) at = seen.indexOf(first, at + 1);
  return at === -1 ? 0 : seen.length - at;
}

export const holdsAny = (bytes: Buffer, texts: readonly Uint8Array[]): boolean =>
  texts.some((text) => bytes.indexOf(text) !== -1);

/** How what a model writes becomes text and calls. */
export type AnswerForm = {
  /** The text that is known by now. */
  take(delta: string): string;
  /** The text that was waited with, and the calls that were written as text. */
  end(): { readonly rest: string; readonly calls: readonly ToolCallPart[] };
};

/** Text is text, and calls come beside it. */
export const plainForm: AnswerForm = { take: (delta) => delta, end: () => ({ rest: "", calls: [] }) };

type Collecting = {
  readonly form: AnswerForm;
  /** Never shown and never kept. */
  readonly key: string | null;
  readonly onText: ((delta: string) => void) | undefined;
};
type AnswerText = {
  /** Null, or why there is no answer. */
  take(delta: string): ModelFailure | null;
  end(calls: readonly ToolCallPart[]): Result<readonly AnswerPart[], ModelRefusal>;
};

/**
 * Collects the parts of an answer and tells its text while it arrives. INVARIANT: what was told is the text of the answer,
 * in whole characters; neither it nor a call holds the key, also where the key is spread over several deltas or escaped.
 */
export function createAnswerText({ form, key, onText }: Collecting): AnswerText {
  const secrets = key === null ? [] : [Buffer.from(key)];
  const lookout = createLookout(secrets);
  let [text, chars, half] = ["", 0, ""];
  const tell = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    const delta = Buffer.from(bytes).toString("utf8");
    text += delta;
    onText?.(delta);
  };
  const show = (piece: string): ModelFailure | null => {
    const free = lookout.take(Buffer.from(piece));
    if (free === null) return "model_shows_key";
    tell(free);
    return null;
  };
  return {
    take(delta) {
      chars += delta.length;
      if (chars > LIMITS.modelAnswerChars) return "model_answer_too_large";
      const whole = half + delta;
      // A pair of surrogates may come in two deltas; the first half waits for the second.
      half = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? "";
      return show(form.take(whole.slice(0, whole.length - half.length).toWellFormed()));
    },
    end(native) {
      const last = show(form.take(half.toWellFormed()));
      const { rest, calls: written } = form.end();
      const failure = last ?? show(rest);
      if (failure !== null) return err({ code: failure });
      const calls = [...native, ...written].map(wellFormed);
      const inCalls = calls.map(({ callId, name, args }) => `${callId}\n${name}\n${args}`).join("\n");
      if (chars + inCalls.length > LIMITS.modelAnswerChars) return err({ code: "model_answer_too_large" });
      if (holdsAny(Buffer.from(inCalls), secrets)) return err({ code: "model_shows_key" });
      tell(lookout.end());
      return ok([...(text === "" ? [] : [{ kind: "text" as const, text }]), ...calls]);
    },
  };
}

const wellFormed = ({ kind, callId, name, args }: ToolCallPart): ToolCallPart => ({
  kind,
  callId: callId.toWellFormed(),
  name: name.toWellFormed(),
  args: args.toWellFormed(),
});
