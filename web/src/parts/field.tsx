import { useId, type ComponentProps, type ReactNode } from "react";
import { classes } from "./classes.ts";
import styles from "./field.module.css";

type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly wrong?: string | null | undefined;
  /** Gets the id its control must carry, and the id of the text that describes it. */
  readonly children: (ids: { readonly id: string; readonly "aria-describedby": string | undefined }) => ReactNode;
};

export function Field({ label, hint, wrong, children }: FieldProps): ReactNode {
  const id = useId();
  const note = wrong ?? hint;
  const noteId = `${id}-note`;
  return (
    <div className={styles["field"]}>
      <label htmlFor={id} className={styles["label"]}>
        {label}
      </label>
      {children({ id, "aria-describedby": note === undefined ? undefined : noteId })}
      {note !== undefined && (
        <p
          id={noteId}
          className={classes(styles["note"], wrong != null && styles["wrong"])}
          role={wrong == null ? undefined : "alert"}
        >
          {note}
        </p>
      )}
    </div>
  );
}

export const Input = ({ className, ...rest }: ComponentProps<"input">): ReactNode => (
  <input {...rest} className={classes(styles["control"], className)} />
);
export const Select = ({ className, ...rest }: ComponentProps<"select">): ReactNode => (
  <select {...rest} className={classes(styles["control"], styles["select"], className)} />
);
export const Area = ({ className, ...rest }: ComponentProps<"textarea">): ReactNode => (
  <textarea rows={1} {...rest} className={classes(styles["control"], styles["area"], className)} />
);
