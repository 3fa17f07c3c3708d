import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type GoldenName = "plan-hashes" | "audit-lines" | "activity-sentences";

export const goldenFile = (name: GoldenName): string =>
  fileURLToPath(new URL(`../../histories/golden/${name}.jsonl`, import.meta.url));

export type GoldenLine = { readonly name: string; readonly hash: string; readonly text: string };

export const readGolden = (name: GoldenName): string => readFileSync(goldenFile(name), "utf8");

export const linesIn = (text: string): readonly GoldenLine[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as GoldenLine);
