import { expect, test } from "vitest";
import { loadConfig } from "#config";
import { approvalSettings } from "./settings.ts";

/** As somebody has it who set these variables and wrote no file. */
function searchWith(env: Readonly<Record<string, string>>) {
  const loaded = loadConfig({ env, cwd: "/nowhere", homeDir: "/nowhere", platform: "linux" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return approvalSettings(loaded.value.config).webSearch;
}

test("[CFG-27] a provider without a key, or with an empty one, is no web search; nor is a key without a provider", () => {
  expect(searchWith({})).toBe("absent");
  expect(searchWith({ SEARCH_API_KEY: "" })).toBe("absent");
  expect(searchWith({ SEARCH_API_KEY: "tvly-1", SILAS_SEARCH__PROVIDER: "null" })).toBe("absent");
  expect(searchWith({ SEARCH_API_KEY: "tvly-1" })).toBe("ready");
});
