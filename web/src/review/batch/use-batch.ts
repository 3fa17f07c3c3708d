import { useId, useLayoutEffect, useMemo, useState } from "react";
import type { ShownRequestBody } from "#model";
import { useLatest } from "../../parts/use-latest.ts";
import { isSingleKeyBlocked } from "../../shell/use-keys.ts";
import { chosenIds, firstChoice, idsOf, shownBatch, toggled, type ShownBatch } from "./shown-batch.ts";

/** A batch with what is ticked of it. */
export type Choosing = {
  readonly batch: ShownBatch;
  readonly chosen: ReadonlySet<string>;
  /** The ticked ones, in the order of the batch. */
  readonly ids: readonly string[];
  readonly all: number;
  readonly listId: string;
  readonly isListed: boolean;
  readonly toggle: (ids: readonly string[]) => void;
  readonly choose: (ids: readonly string[]) => void;
  readonly setIsListed: (isListed: boolean) => void;
};

/** Batches that are a choice made here already: all of each is what was ticked. */
const chosenHere = new Set<string>();
export const rememberChoice = (requestId: string): void => void chosenHere.add(requestId);

/** The selection of one card. Null where there is nothing to select from. */
export function useBatch(request: ShownRequestBody): Choosing | null {
  const batch = useMemo(() => shownBatch(request), [request]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => {
    if (batch === null) return new Set();
    return chosenHere.has(request.request_id) ? new Set(idsOf(batch.proposal.items)) : firstChoice(batch);
  });
  const [isListed, setIsListed] = useState(false);
  const listId = useId();
  const isOpen = batch !== null && request.state === "pending";
  useBatchKeys(isOpen ? () => setChosen(firstChoice(batch)) : null);
  if (!isOpen) return null;
  return {
    batch,
    chosen,
    ids: chosenIds(batch, chosen),
    all: batch.proposal.items.length,
    listId,
    isListed,
    toggle: (ids) => setChosen((before) => toggled(before, ids)),
    choose: (ids) => setChosen(new Set(ids)),
    setIsListed,
  };
}

/** x ticks or unticks the row that has the focus, a ticks what is usual and nothing else. Neither decides. */
function useBatchKeys(onUsual: (() => void) | null): void {
  const latest = useLatest(onUsual);
  const isOn = onUsual !== null;
  useLayoutEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (isSingleKeyBlocked(event) || (event.key !== "x" && event.key !== "a")) return;
      const focused = document.activeElement;
      if (event.key === "x") {
        const row = focused?.closest("[data-batch-row]");
        if (row == null) return;
        row.querySelector<HTMLInputElement>("input")?.click();
      } else if (location.pathname.startsWith("/review") || focused?.closest("[data-card-type]") != null) {
        latest.current?.();
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [isOn, latest]);
}
