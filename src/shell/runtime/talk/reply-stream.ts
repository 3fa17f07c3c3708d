import type { TurnPublisher } from "#engine";
import type { GateRunner } from "#ports";

type ReplyStreamDeps = {
  readonly feed: Pick<TurnPublisher, "publish" | "held">;
  /** Asks the gates about a part of the answer, without a record: the whole answer is judged, with its record, at its end. */
  readonly peek: (text: string) => ReturnType<GateRunner["peek"]>;
  /** Characters that are held back; `whole` for all of them. */
  readonly window: number | "whole";
  readonly messageId: string;
};

export type ReplyStream = {
  /** Takes text as it arrives. */
  onText(delta: string): void;
  /** What was shown so far. */
  shown(): string;
};

/**
 * Shows an answer while it arrives, as far as the gates let it. INVARIANT: with a gate in force a character is shown only
 * after the gates have let pass, unchanged, a text that goes on for at least the window behind it.
 */
export function createReplyStream({ feed, peek, window, messageId }: ReplyStreamDeps): ReplyStream {
  let text = "";
  let shownChars = 0;
  let isHeld = window === "whole";
  let isAsking = false;
  if (isHeld) feed.held(messageId);

  const show = (upTo: number): void => {
    if (upTo <= shownChars) return;
    feed.publish({ messageId, offset: shownChars, text: text.slice(shownChars, upTo) });
    shownChars = upTo;
  };
  const holdBack = (): void => {
    isHeld = true;
    feed.held(messageId);
  };
  const release = async (chars: number): Promise<void> => {
    isAsking = true;
    for (let asked = text; wholeChars(asked, asked.length - chars) > shownChars; asked = text) {
      const outcome = await peek(asked);
      // What a gate changes or stops is judged again as a whole.
      if (outcome.verdict !== "continue" || outcome.context.response !== asked) return holdBack();
      show(wholeChars(asked, asked.length - chars));
    }
    isAsking = false;
  };
  return {
    onText(delta) {
      text += delta;
      if (isHeld || window === "whole") return;
      if (window === 0) show(text.length);
      else if (!isAsking) void release(window).catch(holdBack);
    },
    shown: () => text.slice(0, shownChars),
  };
}

/** Never ends between the two halves of a character. */
function wholeChars(text: string, upTo: number): number {
  const code = text.charCodeAt(upTo - 1);
  return code >= 0xd800 && code <= 0xdbff ? upTo - 1 : upTo;
}
