import { create } from "zustand";
import { joinDelta, type TurnNews } from "#model";

/** A reply while it is written, as far as this page has it. `isHeld`: a gate needs all of it before any is shown. */
type LiveTurn = { readonly text: string; readonly isHeld: boolean; readonly isEnded: boolean };
type LiveTurns = { readonly [messageId: string]: LiveTurn };

export const useLiveTurns = create<LiveTurns>(() => ({}));

const NOTHING: LiveTurn = { text: "", isHeld: false, isEnded: false };

/**
 * Keeps what a frame says. Text that has ended stays until the next reply begins: the stored turn takes its place when the
 * page has read it, and nothing flickers in between.
 */
export function hearTurn(news: TurnNews): void {
  const { messageId, kind } = news;
  const turns = useLiveTurns.getState();
  const known = turns[messageId];
  const before = known ?? NOTHING;
  const heard: LiveTurn = {
    text: kind === "delta" ? joinDelta(before.text, news) : before.text,
    isHeld: before.isHeld || kind === "held",
    isEnded: kind === "ended",
  };
  if (known !== undefined && isSame(known, heard)) return;
  if (known === undefined) useLiveTurns.setState({ ...inFlight(turns), [messageId]: heard }, true);
  else useLiveTurns.setState({ [messageId]: heard });
}

const isSame = (one: LiveTurn, other: LiveTurn): boolean =>
  one.text === other.text && one.isHeld === other.isHeld && one.isEnded === other.isEnded;

const inFlight = (turns: LiveTurns): LiveTurns =>
  Object.fromEntries(Object.entries(turns).filter(([, { isEnded }]) => !isEnded));

/** After a new sign-in the server tells everything in flight from its beginning. */
export const dropTurns = (): void => useLiveTurns.setState({}, true);
