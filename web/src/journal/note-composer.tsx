import { useState, type ReactNode, type RefObject } from "react";
import { run } from "../data/commands.ts";
import { Button } from "../parts/button.tsx";
import { Area } from "../parts/field.tsx";
import { nowInstant } from "../time/clock.ts";
import { words } from "../words.ts";
import styles from "./journal.module.css";

export function NoteComposer({ field }: { readonly field: RefObject<HTMLTextAreaElement | null> }): ReactNode {
  const [text, setText] = useState("");
  const save = async (): Promise<void> => {
    const kept = text.trim();
    if (kept === "") return;
    setText("");
    await run(
      { kind: "entry.create", form: "text", occurredAt: nowInstant(), text: kept },
      { done: words.capture.noteSaved },
    );
  };
  return (
    <div className={styles["composer"]}>
      <Area
        ref={field}
        aria-label={words.journal.write}
        placeholder={words.journal.placeholder}
        value={text}
        dir="auto"
        className={styles["field"]}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
        }}
      />
      {text.trim() !== "" && (
        <div className={styles["save"]}>
          <Button tone="main" onClick={() => void save()}>
            {words.journal.save}
          </Button>
          <span>{words.capture.noteHint}</span>
        </div>
      )}
    </div>
  );
}
