import { expect, test } from "vitest";
import type { Turn } from "#model";
import { createReplyPrinter } from "./reply-printer.ts";

const ID = "m-1";
const TURN = { reply: null, plan: null, leftOut: [], failure: null, taint: "owner" } as unknown as Turn;

function openPrinter() {
  let screen = "";
  const notes: string[] = [];
  const printer = createReplyPrinter({
    write: (text) => void (screen += text),
    line: (text = "") => void (screen += `${text}\n`),
    note: (text) => void notes.push(text),
  });
  const hear = (offset: number, text: string) => printer.hear({ kind: "delta", messageId: ID, offset, text });
  const finish = (turn: Partial<Turn>) => printer.finish({ ...TURN, ...turn });
  return { printer, hear, finish, notes, screen: () => screen };
}

test("a reply is printed as it arrives, and its end when the turn is stored", () => {
  const { hear, finish, screen } = openPrinter();
  hear(0, "Good mor");
  expect(screen()).toBe("Good m");
  hear(8, "ning.");
  finish({ reply: "Good morning. All is well." });
  expect(screen()).toBe("Good morning. All is well.\n");
});

test("[T24] a control sequence that two deltas share does nothing, and a surrogate pair that they share is whole", () => {
  const { hear, finish, screen } = openPrinter();
  hear(0, "a\u001b");
  hear(2, "[2Jb\ud83d");
  hear(7, "\ude00");
  finish({ reply: "a\u001b[2Jb😀" });
  expect(screen()).toBe("a␛[2Jb😀\n");
});

test("after a gap the rest comes from the stored turn; one that was heard twice is printed once", () => {
  const { hear, finish, screen } = openPrinter();
  hear(0, "one ");
  hear(0, "one ");
  hear(8, "three");
  finish({ reply: "one two three" });
  expect(screen()).toBe("one two three\n");
});

test("a stored reply that does not go on from what was printed is printed whole below it", () => {
  const { hear, finish, screen } = openPrinter();
  hear(0, "The number is 7");
  finish({ reply: "An answer was held back by a gate." });
  expect(screen()).toBe("The number is 7\nAn answer was held back by a gate.\n");
});

test("without deltas the reply is printed at once, and a gate that needs all of it is told", () => {
  const { printer, finish, notes, screen } = openPrinter();
  printer.hear({ kind: "held", messageId: ID });
  finish({ reply: "All.", taint: "external" });
  expect(notes).toEqual(["Checking the answer…"]);
  expect(screen()).toBe("All.\nMade from something others wrote: check it before you rely on it.\n");
});

test("a stopped reply keeps its part and says so; one that was stopped before its first word says why there is none", () => {
  const part = openPrinter();
  part.hear(0, "Good mor");
  part.finish({ reply: "Good mor", failure: "turn_stopped" });
  expect(part.screen()).toBe("Good mor\nStopped.\n");
  const none = openPrinter();
  none.finish({ failure: "turn_stopped" });
  expect(none.screen()).toBe("No answer: you stopped it.\n");
});
