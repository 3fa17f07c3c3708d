import { err, LIMITS, neutralise, ok, type Result } from "#base";
import { readInside } from "../artifacts.ts";

/** Four bytes are the longest character. */
const BYTES_MOST = LIMITS.draftChars * 4;

/**
 * The text at a place of a workspace, as a person could read and edit it. Programs made it, so nothing is believed and no
 * link is followed; what hides characters, is no text or does not fit a card is refused in words.
 */
export async function readDraft(workspace: string, place: string): Promise<Result<string, string>> {
  const bytes = await readInside({ workspace, place, bytesMost: BYTES_MOST });
  if (bytes === null) return err("there is no file to look at, or it is too long");
  const text = textOf(bytes);
  if (text === null || text.length > LIMITS.draftChars) {
    return err(`a draft is text of at most ${LIMITS.draftChars} characters`);
  }
  if (text.trim() === "") return err("the draft is empty");
  if (neutralise(text) !== text || text.includes("\r")) return err("the draft holds characters that do not show");
  return ok(text);
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
