import { useLayoutEffect, useRef, type RefObject } from "react";

/** The newest value, for work that runs later than the render that planned it. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  }, [value]);
  return latest;
}
