/** Silas without a server, on a home directory and a clock of its own. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { instantFromMs } from "#base";
import { composeLocal, type LocalApp } from "#compose";
import { loadConfig } from "#config";

/** Half a day after the last entry of the histories. */
const NOW_MS = Date.UTC(2026, 10, 18, 20, 0);

/** A model and a search that nobody asks: plans that name them are accepted where they are configured. */
const CONFIGURED = {
  SILAS_SEARCH__API_KEY: "ref:search-key",
  SILAS_MODELS__PLANNER: "compatible:trial",
  SILAS_PROVIDERS__COMPATIBLE__BASE_URL: "http://127.0.0.1:9/v1",
};

type Settings = Readonly<Record<string, string>>;

export async function openSilas(home: string, settings: Settings = {}): Promise<LocalApp> {
  const env = { ...CONFIGURED, ...settings, SILAS_HOME: home };
  const loaded = loadConfig({ env, cwd: home, homeDir: home, platform: process.platform });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const { config, paths } = loaded.value;
  let readings = 0;
  // No two moments are the same, so that whatever is ordered by time has one order.
  const clock = { now: () => must(instantFromMs(NOW_MS + (readings += 1))) };
  const timers = { after: () => () => {} };
  return must(await composeLocal({ config, stateDir: paths.stateDir, machine: { clock, timers } }));
}

type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

export function must<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return answer.value;
}

const HISTORIES = fileURLToPath(new URL("../../histories/", import.meta.url));

/** Copies a data directory of an earlier version into a home directory. */
export function unpackHistory(name: string, home: string): void {
  cpSync(join(HISTORIES, name), home, { recursive: true });
  for (const packed of readdirSync(join(home, "data")).filter((each) => each.endsWith(".gz"))) {
    const file = join(home, "data", packed);
    writeFileSync(file.slice(0, -".gz".length), gunzipSync(readFileSync(file)));
    rmSync(file);
  }
}

/** The receipts that were exported when the history was made, by name. */
export function receiptsIn(name: string): ReadonlyMap<string, string> {
  const folder = join(HISTORIES, name, "receipts");
  const files = readdirSync(folder).toSorted();
  return new Map(files.map((file) => [file.replace(/\.receipt$/, ""), readFileSync(join(folder, file), "utf8")]));
}
