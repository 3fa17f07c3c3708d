import * as z from "zod/mini";
import { oneLine } from "#base";
import { maxLength } from "../values.ts";

/** One line that says something and hides nothing. */
export const line = (charsMax: number) =>
  z.string().check(
    maxLength(charsMax),
    z.regex(/\S/),
    z.refine<string>((text) => oneLine(text) === text, "unsafe_text"),
  );
