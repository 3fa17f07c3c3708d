import { useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import type { RecordId, TaskDetail } from "#model";
import { run } from "../data/commands.ts";
import { Button } from "../parts/button.tsx";
import { EditableText } from "../parts/editable-text.tsx";
import { Input } from "../parts/field.tsx";
import { More } from "../parts/menu.tsx";
import { expectField } from "../shell/field-coming.ts";
import { words } from "../words.ts";
import styles from "./checklists.module.css";
import { moveItem, type Checklist } from "./move-item.ts";
import { Section } from "./section.tsx";

export function Checklists({ detail }: { readonly detail: TaskDetail }): ReactNode {
  const [newId, setNewId] = useState<RecordId | null>(null);
  const addList = async (): Promise<void> => {
    const giveUp = expectField();
    const made = await run({ kind: "checklist.create", taskId: detail.task.id, title: "", items: [] });
    if (made === null) giveUp();
    else setNewId(made.subjectId);
  };
  const add = (
    <Button size="small" tone="quiet" onClick={() => void addList()}>
      {words.checklists.add}
    </Button>
  );
  return (
    <Section title={words.checklists.heading} aside={add}>
      {detail.checklists.map((list) => (
        <List
          key={list.checklist.id}
          list={list}
          all={detail.checklists}
          focus={list.checklist.id === newId ? "at_once" : "later"}
        />
      ))}
    </Section>
  );
}

type ListProps = { readonly list: Checklist; readonly all: readonly Checklist[] };

function List({ list, all, focus }: ListProps & { readonly focus: "at_once" | "later" }): ReactNode {
  const firstItem = useRef<HTMLInputElement>(null);
  const { id, body } = list.checklist;
  const checked = list.items.filter((item) => item.body.checked).length;
  const rename = async (title: string): Promise<boolean> => (await run({ kind: "checklist.update", id, title }), true);
  return (
    <div className={styles["list"]} data-checklist={id}>
      <div className={styles["head"]}>
        <EditableText
          kind="line"
          value={body.title}
          label={words.checklists.title}
          placeholder={words.checklists.untitled}
          className={styles["title"]}
          focus={focus}
          onSave={rename}
          onEntered={() => firstItem.current?.focus()}
        />
        <span className={styles["progress"]}>
          <span aria-hidden className="mono">
            {words.tasks.itemsSign(checked, list.items.length)}
          </span>
          <span className="hidden-visually">{words.checklists.progress(checked, list.items.length)}</span>
        </span>
        <More
          rows={[
            {
              text: words.checklists.deleteList,
              tone: "danger",
              run: () => void run({ kind: "checklist.delete", id }, { done: words.done.checklistDeleted }),
            },
          ]}
        />
      </div>
      <progress
        className={styles["bar"]}
        max={Math.max(1, list.items.length)}
        value={checked}
        aria-label={words.checklists.progress(checked, list.items.length)}
      />
      <ul>
        {list.items.map((item, index) => (
          <Item key={item.id} item={item} index={index} list={list} all={all} />
        ))}
      </ul>
      <AddItem checklistId={id} field={firstItem} />
    </div>
  );
}

type ItemProps = ListProps & { readonly item: Checklist["items"][number]; readonly index: number };

function Item({ item, index, list, all }: ItemProps): ReactNode {
  const { id, body } = item;
  const update = async (change: { title?: string; checked?: boolean }): Promise<boolean> => (
    await run({ kind: "item.update", items: [{ id, ...change }] }),
    true
  );
  const move = (by: -1 | 1): void => void moveItem({ list, index, by });
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
    if (!event.altKey || by === null) return;
    event.preventDefault();
    move(by);
  };
  const others = all.filter((each) => each.checklist.id !== list.checklist.id);
  return (
    // The keys belong to the fields inside; the row only listens for them in one place.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li className={styles["item"]} data-checked={body.checked} onKeyDown={onKeyDown}>
      <label className={styles["check"]}>
        <input
          type="checkbox"
          checked={body.checked}
          aria-label={words.checklists.item(body.title)}
          onChange={(event) => void update({ checked: event.target.checked })}
        />
      </label>
      <EditableText
        kind="title"
        value={body.title}
        label={words.checklists.item(body.title)}
        className={styles["text"]}
        onSave={(title) => update({ title })}
      />
      <More
        rows={[
          { text: words.actions.moveUp, hint: "Alt ↑", run: () => move(-1) },
          { text: words.actions.moveDown, hint: "Alt ↓", run: () => move(1) },
          ...others.map((other) => ({
            text: words.checklists.moveTo(other.checklist.body.title || words.checklists.untitled),
            run: () =>
              void run({
                kind: "item.move",
                itemIds: [id],
                fromChecklistId: list.checklist.id,
                toChecklistId: other.checklist.id,
                preserveCheckedState: true,
              }),
          })),
          {
            text: words.checklists.deleteItem,
            tone: "danger",
            run: () => void run({ kind: "item.delete", itemIds: [id] }, { done: words.done.itemDeleted }),
          },
        ]}
      />
    </li>
  );
}

type AddItemProps = { readonly checklistId: RecordId; readonly field: RefObject<HTMLInputElement | null> };

function AddItem({ checklistId, field }: AddItemProps): ReactNode {
  const [draft, setDraft] = useState("");
  const add = async (titles: readonly string[]): Promise<void> => {
    if (titles.length === 0) return;
    setDraft("");
    await run({ kind: "item.add", checklistId, titles: [...titles] });
  };
  return (
    <Input
      ref={field}
      value={draft}
      aria-label={words.checklists.addItem}
      placeholder={words.checklists.addItem}
      title={words.checklists.addItemHint}
      className={styles["add"]}
      onChange={({ target }) => setDraft(target.value)}
      onBlur={() => void add(linesOf(draft))}
      onPaste={(event) => {
        const lines = linesOf(event.clipboardData.getData("text/plain"));
        if (lines.length < 2) return;
        event.preventDefault();
        void add(lines);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
        event.preventDefault();
        void add(linesOf(draft));
      }}
    />
  );
}

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*[-*]\s+(\[[ x]\]\s+)?/i, "").trim())
    .filter((line) => line !== "");
