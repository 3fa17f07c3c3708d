import { create } from "zustand";
import { joinDelta, type TurnNews } from "#model";

/** A reply while it is written, as far as this page has it. `isHeld`: a gate needs all of it before any is shown. */
type LiveTurn = { readonly text: string; readonly isHeld: boolean };

export const useLiveTurns = create<{ readonly [messageId: string]: LiveTurn }>(() => ({}));

const NOTHING: LiveTurn = { text: "", isHeld: false };

/** Keeps what a frame says. The end of a turn is for whoever reads the stored one; what is shown stays until then. */
export function hearTurn(news: TurnNews): void {
  if (news.kind === "ended") return;
  const known = useLiveTurns.getState()[news.messageId] ?? NOTHING;
  const text = news.kind === "delta" ? joinDelta(known.text, news) : known.text;
  const isHeld = known.isHeld || news.kind === "held";
  if (text !== known.text || isHeld !== known.isHeld) useLiveTurns.setState({ [news.messageId]: { text, isHeld } });
}

/** The stored turn has taken its place. */
export function dropTurn(messageId: string): void {
  const { [messageId]: _dropped, ...others } = useLiveTurns.getState();
  useLiveTurns.setState(others, true);
}

/** After a new sign-in the server tells everything in flight from its beginning. */
export const dropTurns = (): void => useLiveTurns.setState({}, true);
