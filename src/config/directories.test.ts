import { describe, expect, test } from "vitest";
import { findDirectories } from "./directories.ts";
import { describeEnvironment } from "./environment.ts";
import { nearestOf } from "./nearest.ts";

const linux = { env: {}, cwd: "/nowhere", homeDir: "/home/ana", platform: "linux" } as const;

describe("directories", () => {
  test("follow XDG on Linux and ignore relative values", () => {
    expect(findDirectories(linux)).toEqual({
      config: "/home/ana/.config/silas",
      data: "/home/ana/.local/share/silas",
      state: "/home/ana/.local/state/silas",
      cache: "/home/ana/.cache/silas",
      userFile: "/home/ana/.config/silas/silas.yaml",
      projectFile: null,
      checkout: null,
    });
    const env = { XDG_CONFIG_HOME: "/cfg", XDG_DATA_HOME: "relative", XDG_STATE_HOME: "", XDG_CACHE_HOME: "/cache" };
    expect(findDirectories({ ...linux, env })).toMatchObject({
      config: "/cfg/silas",
      data: "/home/ana/.local/share/silas",
      state: "/home/ana/.local/state/silas",
      cache: "/cache/silas",
    });
  });

  test("follow the platform on macOS and Windows", () => {
    expect(findDirectories({ ...linux, platform: "darwin", homeDir: "/Users/ana" })).toMatchObject({
      config: "/Users/ana/Library/Preferences/silas",
      data: "/Users/ana/Library/Application Support/silas",
      cache: "/Users/ana/Library/Caches/silas",
    });
    const env = { LOCALAPPDATA: "C:\\L", APPDATA: "C:\\R" };
    expect(findDirectories({ env, cwd: "C:\\x", homeDir: "C:\\h", platform: "win32" })).toMatchObject({
      userFile: "C:\\R\\silas\\config\\silas.yaml",
      data: "C:\\L\\silas\\data",
    });
  });

  test("lie under SILAS_HOME when it is set", () => {
    const env = { SILAS_HOME: "~/s", XDG_DATA_HOME: "/elsewhere" };
    expect(findDirectories({ ...linux, env })).toMatchObject({
      userFile: "/home/ana/s/config/silas.yaml",
      data: "/home/ana/s/data",
      state: "/home/ana/s/state",
      cache: "/home/ana/s/cache",
    });
  });
});

describe("environment", () => {
  const seen = (env: Record<string, string>) => describeEnvironment({ ...linux, env });

  test("NO_COLOR wins over FORCE_COLOR, a dumb terminal gets no colour", () => {
    expect(seen({}).colour).toBe("auto");
    expect(seen({ NO_COLOR: "" }).colour).toBe("auto");
    expect(seen({ NO_COLOR: "1", FORCE_COLOR: "1" }).colour).toBe("never");
    expect(seen({ FORCE_COLOR: "1" }).colour).toBe("always");
    expect(seen({ FORCE_COLOR: "0" }).colour).toBe("never");
    expect(seen({ TERM: "dumb" }).colour).toBe("never");
  });

  test("tells whether a page can be opened and whether this is CI", () => {
    expect(seen({})).toMatchObject({ hasDisplay: false, isCi: false, browser: null, shell: null });
    const rich = seen({ CI: "true", DISPLAY: ":0", BROWSER: "firefox", SHELL: "/bin/zsh" });
    expect(rich).toMatchObject({ hasDisplay: true, isCi: true, browser: "firefox", shell: "/bin/zsh" });
    expect(describeEnvironment({ ...linux, platform: "darwin" }).hasDisplay).toBe(true);
  });
});

test("the nearest name is within a third of the letters, swaps count once", () => {
  const known = ["port", "host", "enabled", "auth_token"];
  expect(nearestOf("prot", known)).toBe("port");
  expect(nearestOf("enable", known)).toBe("enabled");
  expect(nearestOf("auth-token", known)).toBe("auth_token");
  expect(nearestOf("completely", known)).toBeNull();
  expect(nearestOf("x".repeat(100_000), known)).toBeNull();
});
