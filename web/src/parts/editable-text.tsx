import { useEffect, useRef, useState, type ReactNode } from "react";
import { Area, Input } from "./field.tsx";

type EditableProps = {
  readonly value: string;
  /** Saves what was typed; `base` is the value the person saw when they began. False keeps the draft in the field. */
  readonly onSave: (next: string, base: string) => Promise<boolean>;
  readonly label?: string;
  readonly id?: string;
  readonly kind: "line" | "area";
  readonly placeholder?: string;
  readonly className?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly focusAtOnce?: boolean;
};

/** Text that is edited where it stands: saved when the field is left, put back with Escape, never lost on a refusal. */
export function EditableText({
  value,
  onSave,
  label,
  id,
  kind,
  placeholder,
  className,
  describedBy,
  focusAtOnce,
}: EditableProps): ReactNode {
  const [draft, setDraft] = useState<string | null>(null);
  const base = useRef(value);
  const field = useRef<HTMLElement>(null);
  const latest = useRef({ draft, onSave });
  latest.current = { draft, onSave };

  const commit = async (): Promise<void> => {
    const typed = latest.current.draft;
    if (typed === null) return;
    if (typed === base.current) return setDraft(null);
    const saving = latest.current.onSave(typed, base.current);
    latest.current = { ...latest.current, draft: null };
    if (await saving) setDraft((now) => (now === typed ? null : now));
  };
  useEffect(
    () => () => {
      const { draft: left, onSave: save } = latest.current;
      if (left !== null && left !== base.current) void save(left, base.current);
    },
    [],
  );
  useEffect(() => {
    if (focusAtOnce === true) field.current?.focus();
  }, [focusAtOnce]);

  const shared = {
    ref: field as never,
    id,
    "aria-label": label,
    "aria-describedby": describedBy,
    className,
    placeholder,
    dir: "auto",
    value: draft ?? value,
    onFocus: () => {
      if (draft === null) base.current = value;
    },
    onChange: (event: { readonly target: { readonly value: string } }) => setDraft(event.target.value),
    onBlur: () => void commit(),
    onKeyDown: (event: React.KeyboardEvent<HTMLElement>) => {
      if (event.key === "Escape" && draft !== null) {
        event.stopPropagation();
        setDraft(null);
      }
      const saves = event.key === "Enter" && (kind === "line" || event.ctrlKey || event.metaKey);
      if (saves && !event.nativeEvent.isComposing) {
        event.preventDefault();
        event.currentTarget.blur();
      }
    },
  };
  return kind === "line" ? <Input {...shared} /> : <Area {...shared} />;
}
