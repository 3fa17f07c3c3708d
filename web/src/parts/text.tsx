import type { ReactNode } from "react";
import { neutralise, oneLine } from "#base";

/** A title written by a person: one line, its own reading direction, nothing in it acts on the page. [T24] */
export function Line({ text }: { readonly text: string }): ReactNode {
  return <bdi dir="auto">{oneLine(text)}</bdi>;
}

/** A text of several lines, with the line breaks as written. */
export function Paragraphs({
  text,
  className,
}: {
  readonly text: string;
  readonly className?: string | undefined;
}): ReactNode {
  return (
    <div dir="auto" className={className}>
      {neutralise(text)}
    </div>
  );
}

/** Search marks what it found with U+0002 and U+0003; they become elements, all else stays text. */
export function Marked({ text }: { readonly text: string }): ReactNode {
  const [before = "", ...pieces] = text.split("\u0002");
  let at = before.length;
  const parts = pieces.map((piece) => {
    const [found = "", ...after] = piece.split("\u0003");
    at += piece.length + 1;
    return { at, found, after: after.join("") };
  });
  return (
    <bdi dir="auto">
      {oneLine(before.replaceAll("\u0003", ""))}
      {parts.map((part) => (
        <span key={part.at}>
          <mark>{oneLine(part.found)}</mark>
          {oneLine(part.after)}
        </span>
      ))}
    </bdi>
  );
}
