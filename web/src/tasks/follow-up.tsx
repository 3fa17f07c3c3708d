import { useEffect, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import type { CommandOf, JournalOutcome, OperationId, TaskDetail } from "#model";
import { run, tellRefusal } from "../data/commands.ts";
import { Button } from "../parts/button.tsx";
import { Field, Input, Select } from "../parts/field.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Line } from "../parts/text.tsx";
import { today } from "../time/clock.ts";
import { submitToServer } from "../wire/http.ts";
import { words } from "../words.ts";
import styles from "./follow-up.module.css";

type FollowUpProps = { readonly detail: TaskDetail; readonly onClose: () => void };
type Command = CommandOf<"task.followUp">;

/** A new task that carries on. What will happen is asked of the server first and shown; only then is it done. */
export function FollowUp({ detail, onClose }: FollowUpProps): ReactNode {
  const { task, checklists } = detail;
  const [, navigate] = useLocation();
  const openItems = checklists.flatMap(({ items }) => items).filter((item) => !item.body.checked).length;
  const [command, setCommand] = useState<Command>(() => ({
    kind: "task.followUp",
    sourceTaskId: task.id,
    newTaskTitle: words.followUp.defaultTitle(task.body.title).slice(0, 500),
    carryOverOpenChecklistItems: openItems > 0,
    closeSourceTaskAs: task.body.concludedAt === null ? "DONE" : null,
    preserveCategoryAndLabels: true,
    today: today(),
  }));
  const change = (part: Partial<Command>): void => setCommand({ ...command, ...part });
  const preview = usePreview(command);
  const carried = command.carryOverOpenChecklistItems ? openItems : 0;
  const confirm = async (): Promise<void> => {
    const outcome = await run(command, { done: words.done.followUp(command.newTaskTitle) });
    onClose();
    if (outcome?.subjectId != null) navigate(`/tasks/${outcome.subjectId}`);
  };
  return (
    <Sheet title={words.followUp.heading} onClose={onClose}>
      <div className={styles["form"]}>
        <Choices command={command} openItems={openItems} canClose={task.body.concludedAt === null} onChange={change} />
        {preview !== null && <Preview outcome={preview} detail={detail} />}
        <Button tone="main" disabled={preview === null} onClick={() => void confirm()}>
          {words.followUp.confirm(command.closeSourceTaskAs !== null, carried)}
        </Button>
      </div>
    </Sheet>
  );
}

type ChoicesProps = {
  readonly command: Command;
  readonly openItems: number;
  readonly canClose: boolean;
  readonly onChange: (part: Partial<Command>) => void;
};

function Choices({ command, openItems, canClose, onChange }: ChoicesProps): ReactNode {
  return (
    <>
      <Field label={words.followUp.newTitle}>
        {(ids) => (
          <Input
            {...ids}
            value={command.newTaskTitle}
            data-focus-first=""
            dir="auto"
            onChange={({ target }) => onChange({ newTaskTitle: target.value })}
          />
        )}
      </Field>
      {openItems > 0 && (
        <Choice
          text={words.followUp.carry(openItems)}
          checked={command.carryOverOpenChecklistItems}
          onChange={(value) => onChange({ carryOverOpenChecklistItems: value })}
        />
      )}
      <Choice
        text={words.followUp.keep}
        checked={command.preserveCategoryAndLabels}
        onChange={(value) => onChange({ preserveCategoryAndLabels: value })}
      />
      {canClose && (
        <Field label={words.followUp.close}>
          {(ids) => (
            <Select
              {...ids}
              value={command.closeSourceTaskAs ?? "NONE"}
              onChange={({ target }) =>
                onChange({ closeSourceTaskAs: target.value === "NONE" ? null : (target.value as "DONE") })
              }
            >
              <option value="DONE">{words.followUp.closeAs.DONE}</option>
              <option value="DROPPED">{words.followUp.closeAs.DROPPED}</option>
              <option value="NONE">{words.followUp.closeAs.NONE}</option>
            </Select>
          )}
        </Field>
      )}
    </>
  );
}

type ChoiceProps = { readonly text: string; readonly checked: boolean; readonly onChange: (value: boolean) => void };

const Choice = ({ text, checked, onChange }: ChoiceProps): ReactNode => (
  <label className={styles["choice"]}>
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
    {text}
  </label>
);

/** Asks what the command would do; writes nothing. */
function usePreview(command: Command): JournalOutcome | null {
  const [outcome, setOutcome] = useState<JournalOutcome | null>(null);
  const isBlank = command.newTaskTitle.trim() === "";
  useEffect(() => {
    let isCurrent = true;
    if (isBlank) return;
    const operationId = crypto.randomUUID() as OperationId;
    const ask = async (): Promise<void> => {
      const answer = await submitToServer({ operationId, command, mode: "preview" });
      if (!isCurrent) return;
      if (!answer.ok) tellRefusal(answer.error);
      setOutcome(answer.ok ? answer.value : null);
    };
    void ask();
    return () => {
      isCurrent = false;
    };
  }, [command, isBlank]);
  return isBlank ? null : outcome;
}

function Preview({ outcome, detail }: { readonly outcome: JournalOutcome; readonly detail: TaskDetail }): ReactNode {
  const sourceId = detail.task.id;
  const made = outcome.records.find((record) => record.kind === "task" && record.id !== sourceId);
  const source = outcome.records.find((record) => record.id === sourceId);
  const moved = outcome.records.filter((record) => record.kind === "checklistItem" && record.deletedAt === null).length;
  const closedAs =
    source?.kind === "task" && source.body.concludedAt !== null ? words.tasks.status[source.body.status] : null;
  const title = detail.task.body.title;
  return (
    <section className={styles["preview"]} aria-label={words.followUp.preview}>
      <h3>{words.followUp.preview}</h3>
      <ul>
        {made?.kind === "task" && (
          <li>
            <Line text={words.followUp.creates(made.body.title)} />
          </li>
        )}
        <li>{moved === 0 ? words.followUp.carriesNone : words.followUp.carries(moved)}</li>
        <li>
          <Line text={closedAs === null ? words.followUp.leaves(title) : words.followUp.closes(title, closedAs)} />
        </li>
      </ul>
    </section>
  );
}
