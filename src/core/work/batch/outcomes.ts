import { ITEM_OUTCOMES, type ItemOutcome, type LedgerEntry } from "#model";

type Ran = {
  readonly itemIds: readonly string[];
  readonly stepsBefore: number;
  readonly ledger: readonly LedgerEntry[];
};

/** What became of each item, from the ledger alone. A step that was repeated found done what it did before. */
export function outcomesOf({ itemIds, stepsBefore, ledger }: Ran): readonly ItemOutcome[] {
  return itemIds.map((_id, index) => {
    const said = ledger.filter(({ stepIndex }) => stepIndex === index + stepsBefore).map(outcomeOf);
    return said.includes("done") ? "done" : (said.at(-1) ?? "not_reached");
  });
}

function outcomeOf({ state, success, returnValue }: LedgerEntry): ItemOutcome {
  if (state !== "ended" || success !== true) return "failed";
  return ITEM_OUTCOMES.find((outcome) => outcome === returnValue.trim()) ?? "failed";
}
