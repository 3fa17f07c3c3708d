import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { splitCommand } from "./command-line.ts";

const words = (text: string): unknown => {
  const split = splitCommand(text);
  return split.ok ? split.value : `${split.error.code} ${split.error.found}`;
};

describe("splitting a command", () => {
  test.each<[string, readonly string[]]>([
    ["npm test", ["npm", "test"]],
    ["  npm\ttest \n", ["npm", "test"]],
    ["echo 'a b' \"c d\" e\\ f", ["echo", "a b", "c d", "e f"]],
    ["a''b\"\"c", ["abc"]],
    ["echo '' \"\"", ["echo", "", ""]],
    ["echo '$HOME `x` | & ; < > * \\ \"'", ["echo", '$HOME `x` | & ; < > * \\ "']],
    ['echo "\\$HOME \\`x\\` \\" \\\\ \\n |;&"', ["echo", '$HOME `x` " \\ \\n |;&']],
    ["echo \\$HOME \\* \\|", ["echo", "$HOME", "*", "|"]],
    ["find . -name '*.ts' -exec echo {} +", ["find", ".", "-name", "*.ts", "-exec", "echo", "{}", "+"]],
    ["env A=1 b c=2 d#e a~b a!b", ["env", "A=1", "b", "c=2", "d#e", "a~b", "a!b"]],
    ["a \\\n b", ["a", "b"]],
    ["'A=1' b", ["A=1", "b"]],
    ["rm\u00a0-rf", ["rm\u00a0-rf"]],
    ["a".repeat(LIMITS.commandChars), ["a".repeat(LIMITS.commandChars)]],
    ["a ".repeat(LIMITS.commandWords), Array.from({ length: LIMITS.commandWords }, () => "a")],
  ])("%j", (text, expected) => expect(words(text)).toEqual(expected));

  test.each([
    ["", "command_empty "],
    [" \n", "command_empty "],
    ["'' a", "command_empty "],
    ["a | b", "command_operator |"],
    ["a && b", "command_operator &&"],
    ["a; b", "command_operator ;"],
    ["a > b", "command_operator >"],
    ["a 2>&1", "command_operator >&"],
    ["a <<< b", "command_operator <<<"],
    ["(a)", "command_operator ("],
    ["a\nb", "command_operator a line break"],
    ["a\rb", "command_operator a line break"],
    ["a # b", "command_operator #"],
    ["! a", "command_operator !"],
    ["a $HOME", "command_expansion $"],
    ['a "$HOME"', "command_expansion $"],
    ["a `b`", "command_expansion `"],
    ['a "`b`"', "command_expansion `"],
    ["ls *.ts", "command_expansion *"],
    ["ls a?", "command_expansion ?"],
    ["ls [ab]", "command_expansion ["],
    ["ls ~/a", "command_expansion ~"],
    ["A=1 b", "command_assignment A=1"],
    ["A='x y' b", "command_assignment A=x y"],
    ["a 'b", "command_unfinished '"],
    ['a "b', 'command_unfinished "'],
    ["a b\\", "command_unfinished \\"],
    ["a".repeat(LIMITS.commandChars + 1), `command_too_long ${LIMITS.commandChars + 1} characters`],
    ["a ".repeat(LIMITS.commandWords + 1), `command_too_long ${LIMITS.commandWords + 1} words`],
  ])("refuses %j", (text, expected) => expect(words(text)).toBe(expected));

  test("any words in single quotes come back as they were", () => {
    const word = fc.string({ unit: "binary", maxLength: 20 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (list) => {
        fc.pre(list[0] !== "");
        const line = list.map((one) => `'${one.replaceAll("'", "'\\''")}'`).join(" ");
        expect(words(line)).toEqual(list);
      }),
    );
  });

  test("an accepted line has no character that a shell would act on outside of quotes", () => {
    const unit = fc.constantFrom(..."ab=$`*?[]~#!|&;<>()'\"\\ \t\n{}-/");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 24 }), (text) => {
        if (!splitCommand(text).ok) return;
        const bare = text
          .trim()
          .replace(/\\[^]/g, "")
          .replace(/'[^']*'|"[^"]*"/g, "");
        expect(bare.includes("'") || bare.includes('"') || !/[|&;<>()`$*?[\n]/.test(bare)).toBe(true);
      }),
    );
  });
});
