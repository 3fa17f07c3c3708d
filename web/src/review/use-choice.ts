import { useState } from "react";
import { useFocusAfterGoing } from "../parts/focus-page.ts";
import { invalidateReview } from "./review-reads.ts";

/** For a card that goes with its question: one answer at a time, and the page is read again after it. */
export function useChoice<C>(answer: (choice: C) => Promise<void>) {
  const [asked, setAsked] = useState<C | null>(null);
  const focusAfterGoing = useFocusAfterGoing();
  const choose = async (choice: C): Promise<void> => {
    if (asked !== null) return;
    setAsked(choice);
    focusAfterGoing();
    await answer(choice);
    await invalidateReview();
    setAsked(null);
  };
  return { asked, choose: (choice: C) => void choose(choice) };
}
