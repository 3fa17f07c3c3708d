import { useEffect, useRef, type KeyboardEvent, type ReactNode, type Ref } from "react";
import { Area, Input } from "./field.tsx";
import { useDraft, type SaveText } from "./use-draft.ts";

type EditableProps = {
  readonly value: string;
  readonly onSave: SaveText;
  readonly label?: string;
  readonly id?: string;
  /** `title` wraps like an area and holds one line: Enter saves it, and a pasted line break becomes a space. */
  readonly kind: "line" | "title" | "area";
  readonly placeholder?: string;
  readonly className?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly focus?: "at_once" | "later";
  /** Where Enter leads after it saved; the focus is nowhere otherwise. */
  readonly onEntered?: () => void;
};

/** Text that is edited where it stands: saved when the field is left, put back with Escape, never lost on a refusal. */
export function EditableText(props: EditableProps): ReactNode {
  const { value, onSave, label, id, kind, placeholder, className, describedBy, focus = "later", onEntered } = props;
  const draft = useDraft(value, onSave);
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (focus === "at_once") field.current?.focus();
  }, [focus]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === "Escape" && draft.isDirty) {
      event.stopPropagation();
      draft.putBack();
    }
    const saves = event.key === "Enter" && (kind !== "area" || event.ctrlKey || event.metaKey);
    if (!saves || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.currentTarget.blur();
    onEntered?.();
  };
  const shared = {
    ref: field as Ref<HTMLInputElement & HTMLTextAreaElement>,
    id,
    "aria-label": label,
    "aria-describedby": describedBy,
    className,
    placeholder,
    dir: "auto",
    value: draft.shown,
    onFocus: draft.begin,
    onChange: ({ target: { value: text } }: { readonly target: { readonly value: string } }) =>
      draft.type(kind === "title" ? text.replace(/[\r\n]+/g, " ") : text),
    onBlur: draft.commit,
    onKeyDown,
  };
  return kind === "line" ? <Input {...shared} /> : <Area {...shared} />;
}
