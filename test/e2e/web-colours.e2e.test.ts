/** Recomputes every contrast from the hex values the page is painted with. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./cli-process.ts";

const tokens = readFileSync(join(ROOT, "web", "src", "styles", "tokens.css"), "utf8");

/** Colours of one theme, read from the very file the page is painted with. */
function coloursOf(selector: string): ReadonlyMap<string, string> {
  const from = tokens.indexOf(`${selector} {`);
  const block = tokens.slice(from, tokens.indexOf("}", from));
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = "", hex = ""]) => [name, hex]));
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const THEMES = [
  { theme: "light", selector: ":root" },
  { theme: "dark", selector: ':root[data-theme="dark"]' },
];
const TEXT = ["ink", "ink-2", "ink-3", "accent", "info", "risk-high", "risk-medium", "risk-irreversible"];
const RISKS = ["risk-low", "risk-medium", "risk-high", "risk-irreversible"];

describe.each(THEMES)("colours of the $theme theme", ({ selector }) => {
  const colours = coloursOf(selector);
  const ratio = (one: string, other: string): number => contrast(colours.get(one) ?? "", colours.get(other) ?? "");

  test("text is readable on every ground it stands on: 4.5 to 1", () => {
    for (const text of TEXT) {
      for (const ground of ["bg", "surface", "sunken"])
        expect(ratio(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  test("risk words are readable on their own tint, and text on a filled button", () => {
    for (const risk of RISKS) expect(ratio(risk, `${risk}-tint`), risk).toBeGreaterThanOrEqual(4.5);
    expect(ratio("on-accent", "accent")).toBeGreaterThanOrEqual(4.5);
    expect(ratio("ink", "mark")).toBeGreaterThanOrEqual(4.5);
  });

  test("the border of a control and the ring of the focus stand out: 3 to 1", () => {
    for (const ground of ["bg", "surface"]) {
      expect(ratio("control", ground), ground).toBeGreaterThanOrEqual(3);
      expect(ratio("accent", ground), ground).toBeGreaterThanOrEqual(3);
    }
  });
});

test("the ratios of the identity are those that were decided", () => {
  const light = coloursOf(":root");
  const dark = coloursOf(':root[data-theme="dark"]');
  const of = (theme: ReadonlyMap<string, string>, one: string, other: string): number =>
    Math.round(contrast(theme.get(one) ?? "", theme.get(other) ?? "") * 10) / 10;
  expect([of(light, "ink", "bg"), of(light, "ink-2", "bg"), of(light, "ink-3", "bg")]).toEqual([15.3, 7.2, 5.1]);
  expect([of(light, "accent", "bg"), of(light, "control", "bg"), of(light, "info", "bg")]).toEqual([5.7, 3.4, 6.3]);
  expect([of(dark, "ink", "bg"), of(dark, "ink-2", "bg"), of(dark, "ink-3", "bg")]).toEqual([16.1, 9.6, 7]);
  expect([of(dark, "accent", "bg"), of(dark, "control", "bg"), of(dark, "info", "bg")]).toEqual([9.7, 3.8, 9]);
});
