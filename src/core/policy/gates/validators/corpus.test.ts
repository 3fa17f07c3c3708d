import { describe, expect, test } from "vitest";
import { depth } from "../../../../../test/depth.ts";
import { BENIGN_TEXTS } from "../../../../../test/benign-texts.ts";
import { SHIPPED_VALIDATORS } from "./shipped.ts";

const SCANNED = { secrets: { ok: true, value: [] } } as const;
const NAMES = Object.keys(SHIPPED_VALIDATORS);
const validatorOf = (name: string, config = {}) => SHIPPED_VALIDATORS[name]?.build(config) ?? (() => null);

describe("ordinary text", () => {
  test("there is enough of it to say something", () => {
    expect(new Set(BENIGN_TEXTS).size).toBeGreaterThanOrEqual(200);
  });

  test.each(NAMES)("[GUARD-02] %s leaves at least 98 of 100 texts exactly as they are", (name) => {
    const validate = validatorOf(name);
    const punished = BENIGN_TEXTS.filter((text) => validate(text, SCANNED)?.state !== "passed");
    expect(punished.length / BENIGN_TEXTS.length, punished.join("\n")).toBeLessThanOrEqual(0.02);
  });
});

describe("a very long text of anything", () => {
  const chars = depth({ sample: 262_144, every: 1_048_576 });
  const big = (unit: string): string => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
  // Beginnings of whatever a validator looks for, repeated: each used to make some pattern engine try for hours.
  const units = [
    "a",
    "1",
    "1 ",
    "4111-",
    "+1",
    "0 12 ",
    "(0",
    "a@",
    "a.a@a.a@",
    "@",
    "DE89 ",
    "DE12AB12",
    "123-45-",
    "ignore ",
    "ignore all previous ",
    "you are ",
    "pretend you have ",
    "a ",
    "[INST]",
    "<system> ",
    "<|",
    "\u200b",
    "a\u0301",
    "😀",
    "１",
    "\n",
    "you are a ",
    "i will ",
  ];

  test.each(NAMES)("%s answers about every kind of it", (name) => {
    const validate = validatorOf(name);
    for (const unit of units) expect(validate(big(unit), SCANNED)).not.toBeNull();
  });
});
