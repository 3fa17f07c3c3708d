import { expect, test } from "vitest";
import { isPathInside } from "#base";
import { everOccurs, isPattern, isSchedule } from "./field-forms.ts";

test.each(["a", "out/page.html", "a b/ü.txt", ".hidden", "a..b", "..."])("the path %j stays inside", (path) =>
  expect(isPathInside(path)).toBe(true),
);

test.each([
  "",
  "/etc/passwd",
  "//host/share",
  "~",
  "~/.ssh/id",
  "..",
  "../a",
  "a/../b",
  "a/..",
  ".",
  "./a",
  "a/./b",
  "a//b",
  "a/",
  "a\\..\\b",
  "C:/a",
  "C:a",
  "a:stream",
  "a\0b",
  "a\nb",
])("the path %j is refused", (path) => expect(isPathInside(path)).toBe(false));

test.each([
  "ok",
  "^a+$",
  "(?:a|b){2,1000}",
  "[(]x",
  "\\d+\\.\\d{2}",
  "\\\\1",
  "\\p{L}+",
  "(?<year>\\d{4})",
  "a\\\\",
  "a".repeat(1000),
])("the pattern %j is one every engine takes", (pattern) => expect(isPattern(pattern)).toBe(true));

test.each([
  "(",
  "[a",
  "a{2,1}",
  "*a",
  "a\\",
  "(a)\\1",
  "(?<n>a)\\k<n>",
  "(?=a)",
  "(?!a)",
  "(?<=a)b",
  "(?<!a)b",
  "a{1001}",
  "a{2,5000}",
  "\\u0041",
  "(?P<n>a)",
  "a".repeat(1001),
])("the pattern %j is refused", (pattern) => expect(isPattern(pattern)).toBe(false));

test.each([
  "always_on",
  "* * * * *",
  "*/30 * * * *",
  "*/1 */1 */1 */1 */1",
  "*/59 */23 */31 */12 */7",
  "0-59 0-23 1-31 1-12 0-7",
  "0 9 * * 1-5",
  "0,30 8-18/2 1 jan-mar,12 MON",
  "0 0 * * 7",
])("[WORK-07] the schedule %j is taken", (text) => expect(isSchedule(text)).toBe(true));

test.each([
  "",
  "always",
  "ALWAYS_ON",
  "@daily",
  "* * * *",
  "* * * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * 32 * *",
  "* * * 13 *",
  "* * * 0 *",
  "* * * * 8",
  "*/0 * * * *",
  "*/60 * * * *",
  "* */24 * * *",
  "*/99 * * * *",
  "5/10 * * * *",
  "30-10 * * * *",
  "1,,2 * * * *",
  "-1 * * * *",
  "a * * * *",
  "mon * * * *",
  "* * * * * ; rm",
  "1.5 * * * *",
])("[WORK-07] the schedule %j is refused", (text) => expect(isSchedule(text)).toBe(false));

test.each([
  ["0 0 31 2 *", false],
  ["0 0 30,31 feb *", false],
  ["0 0 31 4,6,9,11 *", false],
  ["0 0 30-31 2 *", false],
  ["0 0 29 2 *", true],
  ["0 0 31 2-3 *", true],
  ["0 0 28-31/3 2 *", true],
  ["0 0 */31 2 *", true],
  ["0 0 31 2 mon", true],
  ["0 0 31 * *", true],
  ["always_on", true],
] as const)("[WORK-07] whether the schedule %j ever occurs: %j", (text, expected) =>
  expect(everOccurs(text)).toBe(expected),
);
