import { useEffect, useRef, useState } from "react";
import { useLatest } from "./use-latest.ts";

/** Saves what was typed; `base` is the value the person saw when they began. False keeps the draft in the field. */
export type SaveText = (next: string, base: string) => Promise<boolean>;

type Draft = {
  readonly shown: string;
  readonly isDirty: boolean;
  readonly begin: () => void;
  readonly type: (text: string) => void;
  readonly putBack: () => void;
  readonly commit: () => void;
};

/** A text being edited: kept apart from what is stored until it is saved, and saved when its field goes away. */
export function useDraft(value: string, onSave: SaveText): Draft {
  const [draft, setDraft] = useState<string | null>(null);
  const base = useRef(value);
  const sent = useRef<string | null>(null);
  const commit = async (): Promise<void> => {
    if (draft === null || draft === sent.current) return;
    if (draft === base.current) return setDraft(null);
    sent.current = draft;
    const isSaved = await onSave(draft, base.current);
    sent.current = null;
    if (isSaved) setDraft((now) => (now === draft ? null : now));
  };
  const latest = useLatest(commit);
  useEffect(() => () => void latest.current(), [latest]);
  return {
    shown: draft ?? value,
    isDirty: draft !== null,
    begin: () => {
      if (draft === null) base.current = value;
    },
    type: setDraft,
    putBack: () => setDraft(null),
    commit: () => void commit(),
  };
}
