/** Damages good texts in every way a careless or hostile author could, and checks that each reader stays itself. */
import { createSeeded } from "../seeded.ts";
import { configParser } from "./config-parser.ts";
import { damage } from "./damage.ts";
import { auditParser, bodyParser, frameParser, receiptParser } from "./json-parsers.ts";
import { planParser } from "./plan-parser.ts";

export type FuzzedParser = {
  /** Good texts to damage. */
  readonly texts: readonly string[];
  /** Reads one text; throws when a promise is broken. */
  readonly judge: (text: string) => "accepted" | "refused";
  readonly close?: () => void;
};

/** Every reader of text that somebody else wrote. */
const PARSERS = {
  plan: planParser,
  config: configParser,
  frame: frameParser,
  body: bodyParser,
  receipt: receiptParser,
  audit: auditParser,
} as const satisfies { readonly [name: string]: () => FuzzedParser | Promise<FuzzedParser> };
export type ParserName = keyof typeof PARSERS;
export const PARSER_NAMES = Object.keys(PARSERS) as readonly ParserName[];

type Fuzzed = {
  readonly accepted: number;
  readonly refused: number;
  /** The longest any one text took: a hang would be seen here, or never end. */
  readonly slowestMs: number;
};
type FuzzOptions = { readonly parser: ParserName; readonly seed: number; readonly runs: number };

/** Feeds `runs` damaged texts to a reader. Throws with the text itself when one breaks a promise. */
export async function fuzz({ parser, seed, runs }: FuzzOptions): Promise<Fuzzed> {
  const seeded = createSeeded(seed);
  const { texts, judge, close } = await PARSERS[parser]();
  let [accepted, slowestMs] = [0, 0];
  try {
    for (let run = 0; run < runs; run += 1) {
      const text = damage(texts, seeded);
      const startedMs = performance.now();
      try {
        if (judge(text) === "accepted") accepted += 1;
      } catch (cause) {
        throw new Error(`run ${run} of seed ${seed} (${parser}): ${JSON.stringify(text)}`, { cause });
      }
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    }
  } finally {
    close?.();
  }
  return { accepted, refused: runs - accepted, slowestMs };
}
