import { neutralise } from "./text.ts";

/** `neutralise` for a text that arrives in pieces. */
type TextStream = {
  /** What can be shown after this piece. */
  add(piece: string): string;
  /** What was held back. */
  end(): string;
};

/**
 * Shows the same as `neutralise` over the whole text, wherever the pieces are cut. Whether a character is dangerous
 * depends on its two neighbours, so the last two characters wait for more: the very last may be half a surrogate pair.
 */
export function createTextStream(): TextStream {
  // The last character that was shown, as it came: the neighbour of the next one.
  let before = "";
  let waiting = "";
  const show = (characters: readonly string[], after: string): string => {
    if (characters.length === 0) return "";
    const raw = characters.join("");
    const [, ...shown] = [...(before === "" ? ` ${neutralise(raw + after)}` : neutralise(before + raw + after))];
    before = characters.at(-1) ?? before;
    return shown.slice(0, characters.length).join("");
  };
  return {
    add(piece) {
      const characters = [...(waiting + piece)];
      const ready = characters.slice(0, -2);
      waiting = characters.slice(-2).join("");
      return show(ready, waiting);
    },
    end() {
      const characters = [...waiting];
      waiting = "";
      return show(characters, "");
    },
  };
}
