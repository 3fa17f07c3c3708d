import { expect, test } from "vitest";
import { codeGroups, spelledOut } from "./code-groups.ts";

const shown = (code: string): string =>
  codeGroups(code)
    .map(({ text }) => text)
    .join(" ");

test("a long code stands in pieces, one that has pieces keeps them, and nothing of it is lost", () => {
  expect(shown("WDJBMJHT")).toBe("WDJB MJHT");
  expect(shown("123456")).toBe("123 456");
  expect(shown("1234567")).toBe("123 456 7");
  expect(shown("WDJB-MJHT")).toBe("WDJB-MJHT");
  expect(shown("A1B2")).toBe("A1B2");
  for (const code of ["WDJBMJHT", "123456789", "A", ""]) {
    expect(
      codeGroups(code)
        .map(({ text }) => text)
        .join(""),
    ).toBe(code);
  }
});

test("it is heard character by character", () => {
  expect(spelledOut("WD-4")).toBe("W D - 4");
});
