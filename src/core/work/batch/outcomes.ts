import { ITEM_OUTCOMES, type ItemOutcome, type LedgerEntry } from "#model";

/** Notes that every batch makes before its first item: what is in the folder, and what is to be where. */
const STEPS_BEFORE = 2;

type Ran = { readonly itemIds: readonly string[]; readonly ledger: readonly LedgerEntry[] };

/** What became of each item, from the ledger alone. A step that was repeated found done what it did before. */
export function outcomesOf(ran: Ran): readonly ItemOutcome[] {
  return saidOf(ran).map((said) => {
    if (said.length === 0) return "not_reached";
    return said.includes("done") ? "done" : (said.at(-1) ?? "failed");
  });
}

/**
 * The items that a run moved, and those of which it did not say: what was interrupted may have been moved. Every other one
 * is where it was without any help, and there is nothing of it to take back. [UNDO-01]
 */
export function movedOf(ran: Ran): readonly string[] {
  const said = saidOf(ran);
  return ran.itemIds.filter((_id, index) => said[index]?.some((outcome) => outcome === "done" || outcome === null));
}

/** All that the ledger says of each item, in order; null is a program that did not say. */
function saidOf({ itemIds, ledger }: Ran): readonly (readonly (ItemOutcome | null)[])[] {
  return itemIds.map((_id, index) =>
    ledger.filter(({ stepIndex }) => stepIndex === index + STEPS_BEFORE).map((entry) => outcomeOf(entry)),
  );
}

function outcomeOf({ state, success, returnValue }: LedgerEntry): ItemOutcome | null {
  if (state !== "ended" || success !== true) return null;
  return ITEM_OUTCOMES.find((outcome) => outcome === returnValue.trim()) ?? null;
}
