import { useState } from "react";
import { isAskingKind, readPayload, type OwnerReply, type ShownPayload, type ShownRequestBody } from "#model";
import { askWords } from "../../words/ask-words.ts";

type Question = Extract<ShownPayload, { readonly kind: "decision" | "draft_review" }>;
type Written = { readonly selected: string | null; readonly text: string; readonly note: string };

/** What is asked, what stands in the form, and the answer that would be signed; null as long as there is none. */
export type Asking = {
  readonly question: Question;
  readonly written: Written;
  readonly write: (change: Partial<Written>) => void;
  readonly answer: OwnerReply | null;
  /** What the first choice does now. */
  readonly label: string;
};

/** Null for what is approved or declined and takes no answer. Everything is read from the text that is signed. */
export function useAnswer(request: ShownRequestBody): Asking | null {
  const { kind, projection } = request;
  const question = isAskingKind(kind) ? questionIn(kind, projection) : null;
  const [written, setWritten] = useState<Written>({
    selected: null,
    text: question?.kind === "draft_review" ? question.draft : "",
    note: "",
  });
  if (question === null) return null;
  const write = (change: Partial<Written>) => setWritten((before) => ({ ...before, ...change }));
  const made = question.kind === "decision" ? decided(question, written) : drafted(question, written);
  return { question, written, write, ...made };
}

function questionIn(kind: Question["kind"], projection: string): Question | null {
  const read = readPayload(kind, projection);
  return read.ok ? (read.value.payload as Question) : null;
}

type Made = Pick<Asking, "answer" | "label">;

function decided({ options }: Extract<Question, { readonly kind: "decision" }>, { selected, text }: Written): Made {
  const option = options.find(({ value }) => value === selected);
  const plain = { selected_value: null, freetext: null, approved: true } as const;
  if (option !== undefined) {
    return { answer: { ...plain, selected_value: option.value }, label: askWords.answer(option.label) };
  }
  const own = text.trim() === "" ? null : { ...plain, freetext: text };
  return { answer: own, label: askWords.answerOwn };
}

function drafted({ draft }: Extract<Question, { readonly kind: "draft_review" }>, { text, note }: Written): Made {
  const plain = { edited_text: null, note: null } as const;
  const wish = note.trim();
  if (wish !== "") return { answer: { ...plain, verdict: "rephrase", note: wish }, label: askWords.again };
  if (text.trim() === "") return { answer: null, label: askWords.own };
  if (text !== draft) return { answer: { ...plain, verdict: "edit", edited_text: text }, label: askWords.own };
  return { answer: { ...plain, verdict: "approve" }, label: "" };
}
