import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  checkConfigFile,
  describeProblems,
  describeUnread,
  formatOrigin,
  loadConfig,
  type LoadOptions,
} from "./index.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "silas-load-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (name: string, text: string | Uint8Array): string => {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const load = (rest: Partial<LoadOptions> = {}) =>
  loadConfig({ env: {}, cwd: root, homeDir: join(root, "home"), platform: "linux", ...rest });
const loaded = (rest: Partial<LoadOptions> = {}) => {
  const result = load(rest);
  if (!result.ok) throw new Error(describeProblems(result.error).join("\n"));
  return result.value;
};
const lines = (rest: Partial<LoadOptions> = {}): readonly string[] => {
  const result = load(rest);
  return result.ok ? [] : describeProblems(result.error).map((line) => line.replaceAll(`${root}/`, ""));
};

describe("precedence", () => {
  test("[CFG-01] flag over variable over project file over user file over default, and each says so", () => {
    const key = "channels.web.port";
    const origin = (rest: Partial<LoadOptions> = {}) => {
      const { config, originOf } = loaded(rest);
      const found = originOf(key);
      return [config.channels.web.port, found === null ? null : formatOrigin(found).replace(`${root}/`, "")];
    };
    expect(origin()).toEqual([8420, "default"]);
    write("home/.config/silas/silas.yaml", "silas:\n  channels:\n    web:\n      port: 1001\n");
    expect(origin()).toEqual([1001, "home/.config/silas/silas.yaml:4"]);
    write("config/silas.yaml", "# project\nsilas: { channels: { web: { port: 1002 } } }\n");
    expect(origin()).toEqual([1002, "config/silas.yaml:2"]);
    const env = { SILAS_CHANNELS__WEB__PORT: "1003" };
    expect(origin({ env })).toEqual([1003, "env SILAS_CHANNELS__WEB__PORT"]);
    expect(origin({ env, argvOverrides: { [key]: "1004" } })).toEqual([1004, "flag"]);
    expect(origin({ env: { SILAS_CHANNELS__WEB__PORT: "" } })).toEqual([1002, "config/silas.yaml:2"]);
  });

  test("[CFG-01] the project file counts only where it is, SILAS_HOME replaces the user's directories", () => {
    write("elsewhere/config/silas.yaml", "silas: { owner_id: project }");
    write("own/config/silas.yaml", "silas: { owner_id: home }");
    expect(loaded().config.ownerId).toBe("owner");
    const env = { SILAS_HOME: join(root, "own") };
    expect(loaded({ env }).config.ownerId).toBe("home");
    expect(loaded({ env }).paths).toMatchObject({ dataDir: join(root, "own/data"), stateDir: join(root, "own/state") });
    const both = loaded({ env, cwd: join(root, "elsewhere") });
    expect([both.config.ownerId, both.config.dataDir]).toEqual(["project", join(root, "own/data")]);
    expect(loaded({ cwd: join(root, "elsewhere") }).config.dataDir).toBe(join(root, "elsewhere/data"));
  });

  test("[CFG-01] references resolve from the environment, typed by their key", () => {
    write(
      "config/silas.yaml",
      'silas:\n  owner_id: "${WHO}"\n  data_dir: "${BASE}/silas"\n  channels: { web: { port: "${PORT}" } }\n  personality: { voice: { tone: "costs $${5}" } }\n',
    );
    const env = { WHO: "ana", BASE: "/srv", PORT: "9000" };
    const { config } = loaded({ env });
    expect([config.ownerId, config.dataDir, config.channels.web.port]).toEqual(["ana", "/srv/silas", 9000]);
    expect(config.personality.voice.tone).toBe("costs ${5}");
    expect(lines()).toEqual([
      "config/silas.yaml:2:3 owner_id: the environment has no WHO",
      "config/silas.yaml:3:3 data_dir: the environment has no BASE",
      "config/silas.yaml:4:22 channels.web.port: the environment has no PORT",
    ]);
    expect(lines({ env: { ...env, PORT: "many" } })).toEqual([
      "config/silas.yaml:4:22 channels.web.port: expected a whole number from 0 to 65535",
    ]);
  });

  test("a reference that is not one is refused", () => {
    write("config/silas.yaml", 'silas:\n  owner_id: "${WHO"\n  data_dir: "${A-B}"\n');
    expect(lines().map((line) => line.split(": ")[0])).toEqual([
      "config/silas.yaml:2:3 owner_id",
      "config/silas.yaml:3:3 data_dir",
    ]);
  });

  test("relative paths start at the checkout, beside the user file, or at the working directory", () => {
    write("home/.config/silas/silas.yaml", "silas: { active_goal: goal.md, skills_dir: ~/skills }");
    expect(loaded().config.activeGoal).toBe(join(root, "home/.config/silas/goal.md"));
    expect(loaded().config.skillsDir).toBe(join(root, "home/skills"));
    write("config/silas.yaml", "silas: { active_goal: goals/goal.md }");
    expect(loaded().config.activeGoal).toBe(join(root, "goals/goal.md"));
    expect(loaded({ env: { SILAS_ACTIVE_GOAL: "x.md" } }).config.activeGoal).toBe(join(root, "x.md"));
    expect(loaded({ env: { SILAS_ACTIVE_GOAL: "null" } }).config.activeGoal).toBeNull();
  });

  test("named entries are merged by name and key, and can be set by variables", () => {
    write("config/silas.yaml", "silas: { personality: { presets: { mine: { humor: 1 }, work: { humor: 0.2 } } } }");
    const { presets } = loaded().config.personality;
    expect(presets["mine"]).toEqual({ humor: 1 });
    expect(presets["work"]).toEqual({ humor: 0.2, formality: 0.7, assertiveness: 0.8 });
    const env = { SILAS_PERSONALITY__PRESETS__NIGHT__HUMOR: "0.9", SILAS_SEARCH__ALLOWED_DOMAINS: "[a.org, b.org]" };
    const { config } = loaded({ env });
    expect(config.personality.presets["night"]).toEqual({ humor: 0.9 });
    expect(config.search.allowedDomains).toEqual(["a.org", "b.org"]);
  });

  test("a list of gates replaces the default list and keeps foreign parameters as written", () => {
    write(
      "config/silas.yaml",
      "silas:\n  gates:\n    system:\n      - { name: size, on: on_tool_call, type: regex, config: { max_size: 3 } }\n",
    );
    expect(loaded().config.gates.system).toMatchObject([
      {
        name: "size",
        check: null,
        checkExpect: null,
        on: "on_tool_call",
        provider: "predicate",
        type: "regex",
        config: { max_size: 3 },
        onBlock: "report",
        promoteToPolicy: false,
      },
    ]);
    const env = { SILAS_GATES__SYSTEM: '[{"name": "a", "on": "after_step"}]' };
    expect(loaded({ env }).config.gates.system.map((gate) => gate.name)).toEqual(["a"]);
  });
});

describe("mistakes", () => {
  test("unknown keys name the nearest one, with file, line and column", () => {
    write(
      "config/silas.yaml",
      "silas:\n  chanels:\n    web: 1\n  channels:\n    web:\n      prot: 1\n  port: 2\n  xyzzyxyzzy: 3\nmodels: {}\n",
    );
    expect(lines()).toEqual([
      "config/silas.yaml:2:3 chanels: there is no such key; did you mean channels?",
      "config/silas.yaml:6:7 channels.web.prot: there is no such key; did you mean channels.web.port?",
      "config/silas.yaml:7:3 port: there is no such key; did you mean channels.web.port?",
      "config/silas.yaml:8:3 xyzzyxyzzy: there is no such key",
      "config/silas.yaml:9:1 models: there is no such key; did you mean silas.models?",
    ]);
  });

  test("names that exist on every object are unknown keys too", () => {
    write(
      "config/silas.yaml",
      "silas: { __proto__: { a: 1 }, constructor: 1, context: { profiles: { __proto__: {} } } }",
    );
    expect(lines().map((line) => line.split(": ")[0]?.split(" ")[1])).toEqual([
      "__proto__",
      "constructor",
      "context.profiles.__proto__",
    ]);
    expect(lines({ argvOverrides: { "channels.toString": "1" } })).toHaveLength(4);
  });

  test("variables and flags that name no key are refused, other SILAS_ variables are left alone", () => {
    expect(lines({ env: { SILAS_CHANNELS__WEB__PROT: "1", SILAS_MY_TOKEN: "x", SILAS_TELEGRAM_TOKEN: "t" } })).toEqual([
      "env SILAS_CHANNELS__WEB__PROT channels.web.prot: there is no such key; did you mean channels.web.port?",
    ]);
    expect(lines({ argvOverrides: { "channels.web": "1" } })).toEqual([
      "flag channels.web: there is no such key; did you mean channels.web.enabled?",
    ]);
    expect(lines({ env: { SILAS_CHANNELS__WEB__PORT: "NaN" }, argvOverrides: { "bus.lease_seconds": "yes" } })).toEqual(
      [
        "env SILAS_CHANNELS__WEB__PORT channels.web.port: expected a whole number from 0 to 65535",
        "flag bus.lease_seconds: expected a whole number from 1 to 86400",
      ],
    );
  });

  test("a port is a whole number from 0, which takes any free one, to 65535", () => {
    const withPort = (port: string) => ({ env: { SILAS_CHANNELS__WEB__PORT: port } });
    for (const port of [0, 1, 65_535]) expect(loaded(withPort(String(port))).config.channels.web.port).toBe(port);
    for (const port of ["-1", "65536", "80.5", "1e6"]) {
      expect(lines(withPort(port)), port).toEqual([
        "env SILAS_CHANNELS__WEB__PORT channels.web.port: expected a whole number from 0 to 65535",
      ]);
    }
  });

  test("a variable without levels that nothing reads is named with what was probably meant, and its value is not", () => {
    write("config/silas.yaml", "silas: { channels: { web: { auth_token: '${SILAS_MY_TOKEN}' } } }");
    const unread = (env: Record<string, string>) => loaded({ env }).unread.map(describeUnread);
    const none = { SILAS_HOME: join(root, "own"), SILAS_VAULT_PASSPHRASE: "p", SILAS_TELEGRAM_TOKEN: "t" };
    expect(unread({ ...none, SILAS_MY_TOKEN: "a-token", SILAS_OWNER_ID: "me", SILAS_EMPTY: "" })).toEqual([]);
    expect(
      unread({ SILAS_PORT: "9000", SILAS_CHANNELS_WEB_HOST: "::1", SILAS_HOEM: "/x", SILAS_ZZ: "secret" }),
    ).toEqual([
      "the variable SILAS_CHANNELS_WEB_HOST is not read; did you mean SILAS_CHANNELS__WEB__HOST?",
      "the variable SILAS_HOEM is not read; did you mean SILAS_HOME?",
      "the variable SILAS_PORT is not read; did you mean SILAS_CHANNELS__WEB__PORT?",
      "the variable SILAS_ZZ is not read",
    ]);
  });

  test("a wrong element of a list is shown where it stands", () => {
    write("config/silas.yaml", "silas:\n  search:\n    allowed_domains:\n      - a.org\n      - 7\n");
    expect(lines()[0]).toMatch(/^config\/silas\.yaml:5:9 search\.allowed_domains: expected a list/);
  });

  test("an empty file, an empty root and empty groups are all defaults", () => {
    for (const text of ["", "# nothing\n", "silas:\n", "silas: {}\n", "---\nsilas:\n  channels:\n    web:\n"]) {
      write("config/silas.yaml", text);
      expect(lines(), text).toEqual([]);
    }
  });

  test("documents that are no map, not text, too large or not a file are refused", () => {
    const first = () => lines()[0];
    write("config/silas.yaml", "- a\n");
    expect(first()).toBe('config/silas.yaml:1:1 the file must be a map that begins with "silas:"');
    write("config/silas.yaml", "silas: [1]");
    expect(first()).toBe("config/silas.yaml:1:1 silas: expected a map");
    write("config/silas.yaml", new Uint8Array([0xff, 0xfe, 0x41]));
    expect(first()).toBe("config/silas.yaml:1:1 the file is not UTF-8 text");
    write("config/silas.yaml", `# ${"x".repeat(1_048_576)}`);
    expect(first()).toBe("config/silas.yaml:1:1 the file is larger than 1 MiB");
    rmSync(join(root, "config/silas.yaml"));
    mkdirSync(join(root, "config/silas.yaml"));
    expect(first()).toBe("config/silas.yaml:1:1 the file cannot be read");
  });

  test("text that could act on a terminal is shown as symbols", () => {
    write("config/silas.yaml", 'silas: { "\\e[31mred": 1 }');
    expect(lines()[0]).toContain("␛[31mred");
  });
});

describe("secrets", () => {
  const SECRET = "s3cr3t-value";

  test("a literal secret in a file or a flag is refused, and is in no message", () => {
    write(
      "config/silas.yaml",
      `silas:\n  channels:\n    web: { auth_token: ${SECRET} }\n    telegram: { token: "${SECRET}" }\n  search: { api_key: ${SECRET} }\n`,
    );
    const shown = lines({ argvOverrides: { "providers.openrouter.api_key": SECRET } });
    expect(shown.map((line) => /set (\S+) in/.exec(line)?.[1])).toEqual([
      "SILAS_CHANNELS__WEB__AUTH_TOKEN",
      "SILAS_TELEGRAM_TOKEN",
      "SEARCH_API_KEY",
      "SILAS_PROVIDERS__OPENROUTER__API_KEY",
    ]);
    const result = load();
    expect(JSON.stringify([shown, result])).not.toContain(SECRET);
  });

  test("a secret from the environment is used, and shows only that it is set", () => {
    write("config/silas.yaml", 'silas: { search: { api_key: "${MY_KEY}" } }');
    const env = { MY_KEY: SECRET, SILAS_CHANNELS__WEB__AUTH_TOKEN: SECRET };
    const found = loaded({ env });
    expect(found.config.search.apiKey?.reveal()).toBe(SECRET);
    expect(found.config.channels.web.authToken?.reveal()).toBe(SECRET);
    const entry = (key: string) => found.list().find((one) => one.key === key)?.value;
    expect(entry("search.api_key")).toBe("(secret, set)");
    expect(entry("channels.telegram.token")).toBe("(secret, not set)");
    const dumps = [JSON.stringify(found), JSON.stringify(found.list()), inspect(found.config, { depth: 9 })];
    for (const dump of dumps) expect(dump).not.toContain(SECRET);
  });

  test("a broken secret is not quoted", () => {
    expect(lines({ env: { SEARCH_API_KEY: `${SECRET} and more` } })).toEqual([
      "env SEARCH_API_KEY search.api_key: expected a text without spaces, or null",
    ]);
  });
});

describe("what is loaded", () => {
  test("is frozen through and through", () => {
    const { config, list } = loaded();
    const open: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      if (!Object.isFrozen(value)) open.push(path);
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
    };
    walk(config, "config");
    walk(list(), "list");
    expect(open).toEqual([]);
  });

  test("finds one key, a group, or names the nearest", () => {
    const { find, originOf } = loaded();
    const keys = (key: string) => {
      const found = find(key);
      return found.ok ? found.value.map((entry) => entry.key) : found.error;
    };
    expect(keys("channels.web.port")).toEqual(["channels.web.port"]);
    expect(keys("channels.cli")).toEqual(["channels.cli.enabled"]);
    expect(keys("channels.web.prot")).toMatchObject({ code: "unknown_key", nearest: "channels.web.port" });
    expect(originOf("nothing")).toBeNull();
  });

  test("one file can be checked alone", () => {
    const options = { env: { SILAS_BUS__LEASE_SECONDS: "x" }, cwd: root, homeDir: root, platform: "linux" } as const;
    write("good.yaml", "silas: { owner_id: ana }");
    write("bad.yaml", "silas: { owner_id: 1 }\n");
    expect(checkConfigFile("good.yaml", options).ok).toBe(true);
    const bad = checkConfigFile("bad.yaml", options);
    const origin = { kind: "file", file: join(root, "bad.yaml"), line: 1, column: 10 };
    expect(bad.ok ? [] : bad.error).toMatchObject([{ code: "wrong_value", key: "owner_id", origin }]);
    const gone = checkConfigFile("gone.yaml", options);
    expect(gone.ok ? [] : gone.error).toMatchObject([{ code: "file_missing" }]);
  });
});
