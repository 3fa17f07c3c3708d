import { useEffect, type RefObject } from "react";
import { useLatest } from "../../parts/use-latest.ts";

/**
 * Goes back from an armed step when anything else is pressed, or with Escape. Never by time: whoever is slow keeps what
 * they have armed. A scroll is no press.
 */
export function useStepBack(inside: RefObject<HTMLElement | null>, onBack: (() => void) | null): void {
  const latest = useLatest(onBack);
  const isArmed = onBack !== null;
  useEffect(() => {
    if (!isArmed) return undefined;
    const onClick = (event: MouseEvent): void => {
      if (event.target instanceof Node && inside.current?.contains(event.target) === true) return;
      latest.current?.();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") latest.current?.();
    };
    document.addEventListener("click", onClick, { capture: true });
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("click", onClick, { capture: true });
      document.removeEventListener("keydown", onKey);
    };
  }, [isArmed, inside, latest]);
}
