import { useId, type ReactNode } from "react";
import { LIMITS } from "#base";
import { Area, Field } from "../../parts/field.tsx";
import { Line } from "../../parts/text.tsx";
import { askWords } from "../../words/ask-words.ts";
import styles from "./answer-form.module.css";
import type { Asking } from "./use-answer.ts";

/** Where a question of a step is answered: options and words of one's own, or the draft itself. [CARD-16] */
export function AnswerForm({ asking }: { readonly asking: Asking }): ReactNode {
  return (
    <div className={styles["form"]} data-testid="answer-form">
      {asking.question.kind === "decision" ? <Options asking={asking} /> : <Draft asking={asking} />}
    </div>
  );
}

function Options({ asking }: { readonly asking: Asking }): ReactNode {
  const { question, written, write } = asking;
  const group = useId();
  if (question.kind !== "decision") return null;
  const { options, allow_freetext: mayWrite } = question;
  return (
    <>
      {options.length > 0 && (
        <fieldset className={styles["options"]}>
          <legend>{askWords.choose}</legend>
          {options.map(({ label, value }) => (
            <label key={value}>
              <input
                type="radio"
                name={group}
                checked={written.selected === value}
                onChange={() => write({ selected: value, text: "" })}
              />
              <Line text={label} />
            </label>
          ))}
        </fieldset>
      )}
      {mayWrite && (
        <Field label={options.length > 0 ? askWords.ownWords : askWords.onlyWords}>
          {(ids) => (
            <Area
              {...ids}
              rows={2}
              maxLength={LIMITS.draftChars}
              value={written.text}
              onChange={(event) => write({ text: event.target.value, selected: null })}
            />
          )}
        </Field>
      )}
      <p className={styles["note"]} role="status">
        {asking.answer === null ? (mayWrite ? askWords.none : askWords.noneOfThese) : ""}
      </p>
    </>
  );
}

function Draft({ asking }: { readonly asking: Asking }): ReactNode {
  const { written, write, question } = asking;
  return (
    <>
      <Field label={askWords.draft}>
        {(ids) => (
          <Area
            {...ids}
            className={styles["draft"]}
            rows={8}
            maxLength={LIMITS.draftChars}
            value={written.text}
            onChange={(event) => write({ text: event.target.value })}
          />
        )}
      </Field>
      <Field label={askWords.note}>
        {(ids) => (
          <Area
            {...ids}
            rows={1}
            maxLength={LIMITS.titleChars}
            value={written.note}
            onChange={(event) => write({ note: event.target.value })}
          />
        )}
      </Field>
      <p className={styles["note"]} role="status">
        {noteOn(written, question.kind === "draft_review" ? question.draft : "")}
      </p>
    </>
  );
}

function noteOn({ text, note }: Asking["written"], draft: string): string {
  if (note.trim() !== "") return askWords.againMeans;
  if (text.trim() === "") return askWords.noDraft;
  return text === draft ? "" : askWords.changed;
}
