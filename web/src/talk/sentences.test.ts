import { expect, test } from "vitest";
import { sentencesEnd } from "./sentences.ts";

test("a sentence is whole once something follows its mark", () => {
  expect(sentencesEnd("Good morning")).toBe(0);
  expect(sentencesEnd("Good morning.")).toBe(0);
  expect(sentencesEnd("Good morning. How are")).toBe("Good morning. ".length);
  expect(sentencesEnd('He said "yes." Then 3.5 more')).toBe('He said "yes." '.length);
  expect(sentencesEnd("one\ntwo")).toBe(4);
  expect(sentencesEnd("早上好。你")).toBe(4);
});
