import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { CommandOf, RecordOf } from "#model";
import { run } from "../data/commands.ts";
import { words } from "../words.ts";
import { IconButton } from "./button.tsx";
import { EditableText } from "./editable-text.tsx";
import styles from "./rating-scale.module.css";

type RatingProps = Pick<CommandOf<"rating.set">, "targetType" | "targetId"> & {
  readonly name: string;
  readonly rating: RecordOf<"rating"> | null;
};

const VALUES = [1, 2, 3, 4, 5] as const;

/** Five points, one tap. The note is optional. */
export function RatingScale({ name, rating, targetType, targetId }: RatingProps): ReactNode {
  const value = rating?.body.value ?? null;
  const note = rating?.body.note ?? "";
  return (
    <div className={styles["rating"]}>
      <div className={styles["row"]}>
        <fieldset className={styles["scale"]}>
          <legend className="hidden-visually">{words.rating.heading}</legend>
          {VALUES.map((each) => (
            <label key={each} className={styles["choice"]}>
              <input
                type="radio"
                name={name}
                value={each}
                checked={value === each}
                onChange={() => void run({ kind: "rating.set", targetType, targetId, value: each, note })}
              />
              <span className={styles["number"]}>{each}</span>
              <span className={styles["word"]}>{words.rating.scale[each]}</span>
            </label>
          ))}
        </fieldset>
        {value !== null && (
          <IconButton
            label={words.rating.clear}
            onClick={() => void run({ kind: "rating.clear", targetType, targetId })}
          >
            <X size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {value !== null && (
        <EditableText
          kind="line"
          value={note}
          label={words.rating.note}
          placeholder={words.rating.notePlaceholder}
          onSave={async (next) => (await run({ kind: "rating.set", targetType, targetId, value, note: next }), true)}
        />
      )}
    </div>
  );
}
