import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dollars, isWellFormed, neutralise, oneLine, plainMoment, plainName, visibleJson } from "./text.ts";

const anyText = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 }).map((u) => String.fromCharCode(...u));
const hostileUnit = fc.constantFrom(
  ..."\u0000\u0007\b\t\n\r\u001b\u007f\u0085\u009b\u00ad\u061c\u200b\u200c\u200d\u200e\u2028\u202e\u2066\u2069\ufe0f\ufeff\ud800\udc00a ",
  "\u{e0001}",
  "\u{e0041}",
  "\u{e0100}",
  "😀",
);
const hostileText = fc.array(hostileUnit, { maxLength: 20 }).map((units) => units.join(""));

// Unicode's own classes, so that the list in the code is checked against something else than itself.
const ACTS_OR_HIDES =
  /(?![\t\n\u200c-\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{13430}-\u{1345f}]|\r\n)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

describe("neutralise", () => {
  test("leaves nothing that acts on a terminal, reorders, or hides", () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, anyText), (text) => {
        expect(neutralise(text)).not.toMatch(ACTS_OR_HIDES);
        expect(oneLine(text)).not.toMatch(/[\t\n\r]/);
      }),
    );
  });

  test("leaves no format or control character of the whole of Unicode, apart from those scripts are written with", () => {
    const survivors: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const text = `a${String.fromCodePoint(code)}a`;
      if (/^a[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]a$/u.test(text) && neutralise(text) === text) survivors.push(text);
    }
    expect(survivors.filter((text) => ACTS_OR_HIDES.test(text))).toEqual([]);
    expect(survivors).toContain("a\u0600a");
  });

  test("leaves nothing that fonts show nothing for, also where Unicode has not assigned it yet", () => {
    const survivors: number[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      const isHidden = /^\p{Default_Ignorable_Code_Point}$/u.test(character);
      if (isHidden && neutralise(`a${character}a`).includes(character)) survivors.push(code);
    }
    // Joiners, and the first variation selector behind a character: scripts and emoji are written with them.
    const isWritten = (code: number) => /[\u200c\u200d]|\p{Variation_Selector}/u.test(String.fromCodePoint(code));
    expect(survivors.filter((code) => !isWritten(code))).toEqual([]);
  });

  test("is idempotent", () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, anyText), (text) => {
        expect(neutralise(neutralise(text))).toBe(neutralise(text));
        expect(oneLine(oneLine(text))).toBe(oneLine(text));
      }),
    );
  });

  test("shows controls as symbols and the rest as U+FFFD", () => {
    expect(neutralise("\u001b[31mred\u0007\u007f")).toBe("␛[31mred␇␡");
    expect(neutralise("\u0000\u001f\u0020")).toBe("␀␟ ");
    expect(neutralise("a\u009b31m\u202egpj.exe\u2066\u200b\ufeff")).toBe("a\ufffd31m\ufffdgpj.exe\ufffd\ufffd\ufffd");
    expect(neutralise("x\u{e0001}\u{e0069}\u{e0067}")).toBe("x\ufffd\ufffd\ufffd");
    expect(neutralise("a\ud800b")).toBe("a\ufffdb");
  });

  test("bytes hidden in rows of variation selectors come to light, a single selector stays", () => {
    expect(neutralise("😀\ufe01\u{e0148}\u{e0155}")).toBe("😀\ufe01\ufffd\ufffd");
    expect(neutralise("葛\u{e0100}城")).toBe("葛\u{e0100}城");
    expect(neutralise("\ufe0fx")).toBe("\ufffdx");
  });

  test("a joiner or a selector between Latin letters, which makes another name that looks the same, is shown", () => {
    for (const hidden of ["\u200c", "\u200d", "\ufe0f", "\ufe00", "\u{e0100}"]) {
      for (const name of [
        `no${hidden}tes`,
        `notes${hidden}`,
        `${hidden}notes`,
        `1${hidden}0`,
        `за${hidden}метки`,
        `λ${hidden}ό`,
      ])
        expect(neutralise(name), JSON.stringify(name)).toBe(name.replace(hidden, "\ufffd"));
    }
    expect(neutralise("می\u200c\u200cخواهم")).toBe("می\u200c\ufffdخواهم");
    for (const name of ["PDF\u200cها", "#\ufe0f\u20e3", "\u00a9\ufe0f"]) expect(neutralise(name)).toBe(name);
  });

  test("emoji, joined scripts and ordinary text survive unchanged", () => {
    for (const text of ["👩‍👩‍👧‍👦", "❤️", "🏳️‍🌈", "👩🏽‍🚒", "1️⃣", "می‌خواهم", "क्‍ष", "שלום עולם", "Größe\tcafé\n東京\r\n…"]) {
      expect(neutralise(text)).toBe(text);
    }
  });

  test("a carriage return that would overwrite its line is shown", () => {
    expect(neutralise("safe\rEVIL\r\r\n")).toBe("safe␍EVIL␍\r\n");
    expect(oneLine("a\r\n\tb\rc")).toBe("a b c");
  });
});

test("JSON for a screen says the same as before, and nothing in it acts or hides", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(hostileText, anyText)), (texts) => {
      for (const json of [JSON.stringify(texts), JSON.stringify(texts, null, 2)]) {
        expect(JSON.parse(visibleJson(json))).toEqual(texts);
        expect(visibleJson(json)).not.toMatch(ACTS_OR_HIDES);
      }
    }),
  );
  expect(visibleJson('["Größe","\u009b31m\u{e0041}"]')).toBe('["Größe","\\u009b31m\\udb40\\udc41"]');
});

test("in a name of what is touched, a letter of another alphabet among Latin ones is written as its number", () => {
  expect(plainName("/home/ana/n\u043etes.txt")).toBe("/home/ana/n\\u{43e}tes.txt");
  expect(plainName("\u03bfpen \uff41bc \u{1d41a}b")).toBe("\\u{3bf}pen \\u{ff41}bc \\u{1d41a}b");
  for (const name of ["заметки/план-2.txt", "café", "cafe\u0301", "東京_tokyo", "данные.csv", "Größe 5 µm", "λόγος"])
    expect(plainName(name)).toBe(name);
  expect(plainName("b\u202e")).toBe("b\ufffd");
});

test("well-formed is what survives the way through UTF-8", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(isWellFormed(text)).toBe(Buffer.from(text, "utf8").toString("utf8") === text);
    }),
  );
});

test.each([
  [2, "$2.00"],
  [0.5, "$0.50"],
  [0.01, "$0.01"],
  [1.005, "$1.005"],
  [10_000, "$10000.00"],
])("%d dollars are %s", (usd, text) => expect(dollars(usd)).toBe(text));

test("a moment for people has its zone, and is never shown later than it is", () => {
  expect(plainMoment("2026-12-01T00:00:00.000Z")).toBe("2026-12-01 00:00 UTC");
  expect(plainMoment("2026-12-31T23:59:59.999Z")).toBe("2026-12-31 23:59 UTC");
});
