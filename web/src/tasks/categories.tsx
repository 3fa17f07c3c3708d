import { ArrowDown, ArrowUp } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import type { RecordOf } from "#model";
import { run } from "../data/commands.ts";
import { useJournal } from "../data/reads.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { EditableText } from "../parts/editable-text.tsx";
import { Input } from "../parts/field.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { announce, closeSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./categories.module.css";

type Category = RecordOf<"category">;
const COLOURS = Array.from({ length: 12 }, (_, index) => index);

export function Categories(): ReactNode {
  const { data = [] } = useJournal({ kind: "categories" });
  const [name, setName] = useState("");
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (name.trim() === "") return;
    const made = await run({ kind: "category.create", name: name.trim(), colour: data.length % COLOURS.length });
    if (made !== null) setName("");
  };
  return (
    <Sheet title={words.categories.heading} onClose={closeSheet} wide="wide">
      {data.length === 0 && <p className={styles["none"]}>{words.categories.none}</p>}
      <ul className={styles["list"]}>
        {data.map((category, index) => (
          <Row key={category.id} category={category} all={data} index={index} />
        ))}
      </ul>
      <form className={styles["add"]} onSubmit={(event) => void add(event)}>
        <Input
          aria-label={words.categories.name}
          placeholder={words.categories.name}
          value={name}
          data-focus-first=""
          maxLength={80}
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit">{words.categories.add}</Button>
      </form>
    </Sheet>
  );
}

type RowProps = { readonly category: Category; readonly all: readonly Category[]; readonly index: number };

function Row({ category, all, index }: RowProps): ReactNode {
  const { id, body } = category;
  const isArchived = body.archivedAt !== null;
  const update = async (set: { name?: string; colour?: number }): Promise<boolean> =>
    (await run({ kind: "category.update", id, set })) !== null;
  const move = (by: -1 | 1): void => {
    const after = (by === 1 ? all[index + 1]?.id : all[index - 2]?.id) ?? null;
    void run({ kind: "category.move", id, after }).then(() =>
      announce(words.tasks.moved(body.name, index + by + 1, all.length)),
    );
  };
  return (
    <li className={styles["row"]} data-archived={isArchived}>
      <ColourChoice category={category} onChoose={(colour) => void update({ colour })} />
      <EditableText
        kind="line"
        value={body.name}
        label={words.categories.name}
        className={styles["name"]}
        onSave={(next) => update({ name: next })}
      />
      <IconButton label={`${words.actions.moveUp}: ${body.name}`} disabled={index === 0} onClick={() => move(-1)}>
        <ArrowUp size={16} aria-hidden />
      </IconButton>
      <IconButton
        label={`${words.actions.moveDown}: ${body.name}`}
        disabled={index === all.length - 1}
        onClick={() => move(1)}
      >
        <ArrowDown size={16} aria-hidden />
      </IconButton>
      <Button
        size="small"
        tone="quiet"
        onClick={() => void run({ kind: isArchived ? "category.unarchive" : "category.archive", id })}
      >
        {isArchived ? words.categories.unarchive : words.categories.archive}
      </Button>
    </li>
  );
}

type ColourProps = { readonly category: Category; readonly onChoose: (colour: number) => void };

function ColourChoice({ category: { body }, onChoose }: ColourProps): ReactNode {
  const label = `${words.categories.colour}: ${body.name}`;
  return (
    <label className={styles["colour"]}>
      <span className={styles["dot"]} data-colour={body.colour} aria-hidden />
      <select aria-label={label} value={body.colour} onChange={({ target }) => onChoose(Number(target.value))}>
        {COLOURS.map((colour) => (
          <option key={colour} value={colour}>
            {colour + 1}
          </option>
        ))}
      </select>
    </label>
  );
}
