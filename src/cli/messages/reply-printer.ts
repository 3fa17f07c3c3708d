import { createTextStream, neutralise } from "#base";
import { joinDelta, turnNotes, type Turn, type TurnNews } from "#model";
import type { Terminal } from "../terminal/terminal.ts";

type ReplyPrinter = {
  hear(news: TurnNews): void;
  /** Prints what the stored turn has beyond what was printed. */
  finish(turn: Turn): void;
};

/**
 * Prints a reply while it is written. What was printed cannot be taken back, so a stored reply that does not go on from
 * it is printed whole below it.
 */
export function createReplyPrinter(terminal: Pick<Terminal, "write" | "line" | "note">): ReplyPrinter {
  const shown = createTextStream();
  let soFar = "";
  const print = (text: string): void => {
    terminal.write(shown.add(text.slice(soFar.length)));
    soFar = text;
  };
  return {
    hear(news) {
      if (news.kind === "held") terminal.note("Checking the answer…");
      if (news.kind === "delta") print(joinDelta(soFar, news));
    },
    finish(turn) {
      const { reply } = turn;
      const isContinued = reply?.startsWith(soFar) === true;
      if (isContinued) print(reply);
      if (soFar !== "") terminal.line(shown.end());
      if (reply !== null && !isContinued) terminal.line(neutralise(reply));
      for (const note of turnNotes(turn)) terminal.line(neutralise(note));
    },
  };
}
