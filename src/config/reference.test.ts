import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConfigRow } from "#model";
import { checkConfigFile, CONFIG_ROWS, describeProblems } from "./index.ts";

const root = join(import.meta.dirname, "../..");

/** One line of the table in docs/configuration.md. */
function tableLine({ key, fallback, doc, envName, isNotUsedYet }: ConfigRow): string {
  const written = JSON.stringify(fallback).replaceAll('","', '", "').replaceAll("|", "\\|");
  // Of named entries and gates only the names are shown: their defaults would fill the table.
  const shown = key.endsWith(".*") ? Object.keys(fallback as object).join(", ") : `\`${written}\``;
  const list = Array.isArray(fallback) && typeof fallback[0] === "object";
  const names = list ? (fallback as { name: string }[]).map(({ name }) => name).join(", ") : shown;
  return `| \`${key}\` | ${names} | ${doc}${isNotUsedYet ? " Accepted, not used yet." : ""} | \`${envName}\` |`;
}

test("docs/configuration.md has one line for every key, as the schema says it", () => {
  const lines = readFileSync(join(root, "docs/configuration.md"), "utf8").split("\n");
  const table = lines.filter((line) => line.startsWith("| `"));
  const bare = (line: string): string => line.replace(/ +/g, " ");
  expect(table.map(bare)).toEqual(CONFIG_ROWS.map(tableLine).map(bare));
});

test("the example file loads as it is and names only keys that exist", () => {
  const options = { env: {}, cwd: root, homeDir: root, platform: "linux" } as const;
  const result = checkConfigFile("config/silas.example.yaml", options);
  expect(result.ok ? [] : describeProblems(result.error)).toEqual([]);
  expect(result.ok && result.value.originOf("personality.presets.quiet.humor")?.kind).toBe("file");
});

test("the example also loads with its commented lines in force", () => {
  const example = readFileSync(join(root, "config/silas.example.yaml"), "utf8");
  const directory = mkdtempSync(join(tmpdir(), "silas-example-"));
  const file = join(directory, "silas.yaml");
  const keys = /^( +)# (data_dir|auth_token|public_url|tls): /gm;
  expect(example.match(keys)).toHaveLength(4);
  writeFileSync(file, example.replace(keys, "$1$2: "));
  const env = { SILAS_CHANNELS__WEB__AUTH_TOKEN: "a-token" };
  const result = checkConfigFile(file, { env, cwd: directory, homeDir: directory, platform: "linux" });
  rmSync(directory, { recursive: true });
  expect(result.ok ? [] : describeProblems(result.error)).toEqual([]);
  expect(result.ok && result.value.config.channels.web.authToken?.reveal()).toBe("a-token");
});
