import { useSyncExternalStore } from "react";
import { isAt, REVIEW_PATH } from "./surfaces.ts";

/** The column beside a surface that is still as wide as a column of text. */
const COLUMN_MIN_PX = 1280;
/** A list with a task opened beside it needs both. */
const SPLIT_MIN_PX = 1680;

type Place = { readonly path: string; readonly widthPx: number };

/** Review itself is not shown twice; a surface that would be squeezed keeps its width, and the badge leads to Review. */
export function hasRoomForReview({ path, widthPx }: Place): boolean {
  if (isAt(path, REVIEW_PATH)) return false;
  return widthPx >= (/^\/(tasks|day)\/?/.test(path) && path !== "/tasks" ? SPLIT_MIN_PX : COLUMN_MIN_PX);
}

const watchWidth = (onChange: () => void): (() => void) => {
  window.addEventListener("resize", onChange);
  return () => window.removeEventListener("resize", onChange);
};

export const useWindowWidth = (): number => useSyncExternalStore(watchWidth, () => window.innerWidth);
