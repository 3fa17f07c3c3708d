import { useLayoutEffect, useRef, useState } from "react";

/** Closer than this to the end counts as there: a touch screen seldom stops exactly. */
const NEAR_PX = 48;

const isNearEnd = (): boolean => document.documentElement.scrollHeight - window.innerHeight - window.scrollY < NEAR_PX;
const toEnd = (): void => window.scrollTo({ top: document.documentElement.scrollHeight });

type AtEnd = { readonly isAtEnd: boolean; readonly toEnd: () => void };

/**
 * Keeps the end of the page in sight while a reply grows, as long as the reader is there; one who scrolled away is left
 * alone. A page that only loads stays where it opened.
 */
export function useAtEnd({ isWriting }: { readonly isWriting: boolean }): AtEnd {
  const [isAtEnd, setAtEnd] = useState(true);
  // From the first reply of this visit on: the last lines of a reply come when it is not written any more.
  const follows = useRef(false);
  useLayoutEffect(() => {
    if (isWriting) follows.current = true;
  }, [isWriting]);
  useLayoutEffect(() => {
    let isThere = isNearEnd();
    const look = (): void => {
      isThere = isNearEnd();
      setAtEnd(isThere);
    };
    const grow = (): void => {
      if (follows.current && isThere) toEnd();
      look();
    };
    // Called after layout and before paint, so that nothing jumps.
    const observer = new ResizeObserver(grow);
    observer.observe(document.body);
    window.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      window.removeEventListener("scroll", look);
    };
  }, []);
  return { isAtEnd, toEnd };
}
