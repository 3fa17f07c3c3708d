import { CornerDownLeft, X } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { captureToCommand, parseCapture, type Captured, type Chip } from "#model";
import { run } from "../data/commands.ts";
import { Button } from "../parts/button.tsx";
import { Area } from "../parts/field.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Line } from "../parts/text.tsx";
import { localDateOf, localTimeOf, nowInstant, useNow } from "../time/clock.ts";
import { closeSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./capture.module.css";

type Kind = "task" | "note";

/** One field. What is understood shows as chips while typing; a chip that is taken away stays in the title as text. */
export function Capture({ as }: { readonly as: Kind }): ReactNode {
  const [kind, setKind] = useState<Kind>(as);
  const [text, setText] = useState("");
  const [ignored, setIgnored] = useState<readonly string[]>([]);
  const now = useNow(30_000);
  const captured = useMemo(() => {
    const moment = new Date(now);
    return parseCapture(text, { today: localDateOf(moment), now: localTimeOf(moment), ignored });
  }, [text, ignored, now]);
  const save = (): void => {
    const isSaved = kind === "task" ? saveTask(captured) : saveNote(text);
    if (isSaved) closeSheet();
  };
  return (
    <Sheet title={words.surfaces.capture} onClose={closeSheet} head="spoken">
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <KindChoice kind={kind} onChoose={setKind} />
        <Area
          aria-label={words.capture.field}
          placeholder={kind === "task" ? words.capture.placeholder : words.capture.notePlaceholder}
          className={styles["field"]}
          dir="auto"
          value={text}
          data-focus-first=""
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            const isPlainEnter = event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing;
            if (!isPlainEnter || (kind === "note" && !event.ctrlKey && !event.metaKey)) return;
            event.preventDefault();
            save();
          }}
        />
        {kind === "task" && <Chips captured={captured} onRemove={(key) => setIgnored([...ignored, key])} />}
        <div className={styles["foot"]}>
          <p>{kind === "task" ? words.capture.hint : words.capture.noteHint}</p>
          <Button tone="main" type="submit" disabled={text.trim() === ""}>
            {words.capture.save} <CornerDownLeft size={16} aria-hidden />
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

function saveTask(captured: Captured): boolean {
  const command = captureToCommand(captured);
  if (!command.ok) return false;
  void run(command.value, { done: words.capture.saved(command.value.title) });
  return true;
}

function saveNote(text: string): boolean {
  if (text.trim() === "") return false;
  void run(
    { kind: "entry.create", form: "text", occurredAt: nowInstant(), text: text.trim() },
    { done: words.capture.noteSaved },
  );
  return true;
}

function KindChoice({ kind, onChoose }: { readonly kind: Kind; readonly onChoose: (kind: Kind) => void }): ReactNode {
  return (
    <fieldset className={styles["kinds"]}>
      <legend className="hidden-visually">{words.capture.kind}</legend>
      {(["task", "note"] as const).map((each) => (
        <label key={each} className={styles["kind"]}>
          <input type="radio" name="capture-kind" checked={kind === each} onChange={() => onChoose(each)} />
          {words.capture[each]}
        </label>
      ))}
    </fieldset>
  );
}

type ChipsProps = { readonly captured: Captured; readonly onRemove: (key: string) => void };

function Chips({ captured, onRemove }: ChipsProps): ReactNode {
  return (
    <div className={styles["chips"]} role="group" aria-label={words.capture.understood}>
      {captured.chips.map((chip) => (
        <ChipView key={chip.key} chip={chip} onRemove={onRemove} />
      ))}
      {captured.items.length > 0 && (
        <span className={styles["count"]}>{words.capture.itemCount(captured.items.length)}</span>
      )}
    </div>
  );
}

function ChipView({ chip, onRemove }: { readonly chip: Chip; readonly onRemove: (key: string) => void }): ReactNode {
  return (
    <span className={styles["chip"]} data-kind={chip.kind} data-testid="chip">
      {words.capture.chips[chip.kind] !== "" && (
        <span className={styles["what"]}>{words.capture.chips[chip.kind]}</span>
      )}
      <Line text={chip.label.replace(/^[#@]/, "")} />
      <button type="button" aria-label={words.actions.remove(chip.label)} onClick={() => onRemove(chip.key)}>
        <X size={14} aria-hidden />
      </button>
    </span>
  );
}
