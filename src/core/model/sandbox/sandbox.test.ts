import { expect, test } from "vitest";
import { defaultSandboxConfig } from "./records.ts";
import type { SandboxRefusal } from "./refusals.ts";
import { sandboxWords } from "./words.ts";

test("[SBX-01] a run that asks for nothing gets nothing: no network, no path, no variable, an empty workspace", () => {
  expect(defaultSandboxConfig({ memoryMb: 512, cpuSeconds: 60 })).toEqual({
    workDir: null,
    readPaths: [],
    writePaths: [],
    network: "none",
    env: {},
    limits: {
      memoryMb: 512,
      cpuSeconds: 60,
      timeoutMs: 300_000,
      outputBytes: 100_000,
      processes: 64,
      fileBytes: 256 * 1024 * 1024,
    },
  });
});

const REASONS = [
  "not_linux",
  "processor_unknown",
  "bwrap_missing",
  "bwrap_too_old",
  "namespaces_refused",
  "work_dir_unusable",
  "engine_missing",
  "engine_wants_user",
  "engine_refused",
  "image_missing",
  "image_unusable",
] as const;

test("every refusal says what is wrong and what helps, and shows no control characters of others", () => {
  const hostile = "\u001b[2J\u202e\n";
  const refusals: readonly SandboxRefusal[] = [
    ...REASONS.map((reason) => ({
      code: "sandbox_unsupported" as const,
      backend: "subprocess" as const,
      reason,
      detail: hostile,
    })),
    ...(
      [
        "not_absolute",
        "missing",
        "is_link",
        "special_file",
        "unreadable",
        "holds_silas",
        "bad_target",
        "too_large",
      ] as const
    ).map((reason) => ({ code: "sandbox_path_refused" as const, path: hostile, reason })),
    ...(["empty", "not_text", "too_long", "no_pipes"] as const).map((reason) => ({
      code: "sandbox_command_refused" as const,
      reason,
    })),
    { code: "sandbox_env_refused", name: hostile },
    { code: "sandbox_limit_refused", limit: "memoryMb" },
    { code: "sandbox_cwd_refused", cwd: hostile },
    { code: "sandbox_network_refused", reason: "no_gateway" },
    { code: "sandbox_network_refused", reason: "not_opened" },
    { code: "sandbox_output_withheld", refId: hostile },
    { code: "sandbox_closed" },
    { code: "sandbox_not_started", detail: hostile },
  ];
  const words = refusals.map(sandboxWords);
  for (const { what, fix } of words) {
    expect(what).toMatch(/[a-z]{3}/);
    expect(fix).toMatch(/[a-z]{3}/);
    expect(what + fix).not.toMatch(/[\u0000-\u001f\u202e]/);
  }
  expect(new Set(words.map(({ what }) => what)).size).toBe(refusals.length);
});
