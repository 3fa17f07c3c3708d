import { useState, type ReactNode } from "react";
import type { LocalDate } from "#base";
import { REPEAT_UNITS, type Repeat } from "#model";
import { Field, Input, Select } from "../parts/field.tsx";
import { weekdayNarrow } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./task-fields.module.css";

type RepeatProps = {
  readonly repeat: Repeat | null;
  readonly dueDate: LocalDate | null;
  readonly onSave: (set: { readonly repeat: Repeat | null }) => void;
};

const isPreset = (repeat: Repeat): boolean =>
  repeat.every === 1 && repeat.weekdays.length === 0 && repeat.from === "due";

export function RepeatField({ repeat, dueDate, onSave }: RepeatProps): ReactNode {
  const [isCustom, setCustom] = useState(repeat !== null && !isPreset(repeat));
  const shown = repeat === null ? "never" : isCustom ? "custom" : repeat.unit;
  const choose = (value: string): void => {
    setCustom(value === "custom");
    if (value === "never") onSave({ repeat: null });
    else if (value === "custom") onSave({ repeat: repeat ?? { every: 1, unit: "week", weekdays: [], from: "due" } });
    else onSave({ repeat: { every: 1, unit: value as Repeat["unit"], weekdays: [], from: "due" } });
  };
  return (
    <>
      <Field label={words.repeat.label} hint={dueDate === null ? words.repeat.needsDate : undefined}>
        {(ids) => (
          <Select {...ids} disabled={dueDate === null} value={shown} onChange={({ target }) => choose(target.value)}>
            <option value="never">{words.repeat.never}</option>
            {REPEAT_UNITS.map((unit) => (
              <option key={unit} value={unit}>
                {words.repeat[unit]}
              </option>
            ))}
            <option value="custom">{words.repeat.custom}</option>
          </Select>
        )}
      </Field>
      {repeat !== null && isCustom && <Custom repeat={repeat} onSave={onSave} />}
    </>
  );
}

function Custom({ repeat, onSave }: { readonly repeat: Repeat; readonly onSave: RepeatProps["onSave"] }): ReactNode {
  const change = (part: Partial<Repeat>): void => onSave({ repeat: { ...repeat, ...part } });
  return (
    <div className={styles["custom"]}>
      <Field label={words.repeat.every}>
        {(ids) => (
          <Input
            {...ids}
            type="number"
            min={1}
            max={999}
            value={repeat.every}
            onChange={({ target }) =>
              change({ every: Math.min(999, Math.max(1, Math.round(Number(target.value) || 1))) })
            }
          />
        )}
      </Field>
      <Field label={words.repeat.unit}>
        {(ids) => (
          <Select
            {...ids}
            value={repeat.unit}
            onChange={({ target }) => change({ unit: target.value as Repeat["unit"], weekdays: [] })}
          >
            {REPEAT_UNITS.map((unit) => (
              <option key={unit} value={unit}>
                {words.repeat.units[unit]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={words.repeat.from}>
        {(ids) => (
          <Select
            {...ids}
            value={repeat.from}
            onChange={({ target }) => change({ from: target.value as Repeat["from"] })}
          >
            <option value="due">{words.repeat.fromDue}</option>
            <option value="done">{words.repeat.fromDone}</option>
          </Select>
        )}
      </Field>
      {repeat.unit === "week" && <Weekdays chosen={repeat.weekdays} onChange={(weekdays) => change({ weekdays })} />}
    </div>
  );
}

type WeekdaysProps = { readonly chosen: readonly number[]; readonly onChange: (days: number[]) => void };

function Weekdays({ chosen, onChange }: WeekdaysProps): ReactNode {
  const toggle = (day: number): void =>
    onChange(chosen.includes(day) ? chosen.filter((each) => each !== day) : [...chosen, day].toSorted());
  return (
    <fieldset className={styles["days"]}>
      <legend className="hidden-visually">{words.repeat.weekdays}</legend>
      {[1, 2, 3, 4, 5, 6, 7].map((day) => (
        <label key={day} className={styles["dayChoice"]}>
          <input type="checkbox" checked={chosen.includes(day)} onChange={() => toggle(day)} />
          {weekdayNarrow(day)}
        </label>
      ))}
    </fieldset>
  );
}
