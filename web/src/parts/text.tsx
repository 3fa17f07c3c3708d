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
  const pieces = text.split("\u0002");
  return (
    <bdi dir="auto">
      {pieces.map((piece, index) => {
        if (index === 0) return oneLine(piece.replaceAll("\u0003", ""));
        const [found = "", ...after] = piece.split("\u0003");
        return (
          <span key={index}>
            <mark>{oneLine(found)}</mark>
            {oneLine(after.join(""))}
          </span>
        );
      })}
    </bdi>
  );
}
