import * as z from "zod/mini";
import { oneLine } from "#base";
import { maxLength } from "../values.ts";

/** What everything that can be approved is written with. */
export const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** One line that says something and hides nothing. */
export const line = (charsMax: number) =>
  z.string().check(
    maxLength(charsMax),
    z.regex(/\S/),
    z.refine<string>((text) => oneLine(text) === text, "unsafe_text"),
  );
