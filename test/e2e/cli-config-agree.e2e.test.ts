/** What `silas start` refuses of a configuration, `silas config check` refuses too, and for the same places. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";

let home: Home;
let file: string;
beforeAll(() => {
  home = createHome();
  mkdirSync(join(home.dir, "config"));
  mkdirSync(join(home.dir, "thesis"));
  writeFileSync(join(home.dir, "thesis", "chapter"), "");
  writeFileSync(join(home.dir, "not-a-certificate.pem"), "hello");
  file = join(home.dir, "config", "silas.yaml");
});
afterAll(() => home.remove());

const gate = (lines: string): string => `gates:\n  system:\n    - { name: a, on: every_user_message, ${lines} }`;

const BAD: readonly (readonly [string, string, string])[] = [
  ["an unknown key", "chanels: {}", "chanels"],
  ["a wrong value", "channels: { web: { port: 70000 } }", "channels.web.port"],
  ["no way in", "channels: { web: { enabled: false } }", "channels.web.enabled"],
  ["a certificate that is not there", "channels: { web: { tls: { cert: a.pem, key: b.pem } } }", "channels.web.tls"],
  [
    "a certificate that is none",
    "channels: { web: { tls: { cert: ./not-a-certificate.pem, key: ./not-a-certificate.pem } } }",
    "channels.web.tls",
  ],
  ["half of TLS", "channels: { web: { tls: { cert: a.pem } } }", "channels.web.tls.cert"],
  ["a remote host without a token", 'channels: { web: { host: "0.0.0.0" } }', "channels.web.auth_token"],
  ["a gate that nobody can check", gate("provider: guardrails_ai, check: nonsense"), "gates.system"],
  ["a gate with an unsafe pattern", gate('type: regex, pattern: "(a+)+$"'), "gates.system"],
  ["a data directory of somebody else", "data_dir: ./thesis", "data_dir"],
  ["the root as data directory", "data_dir: /", "data_dir"],
  ["an unknown time zone", "scheduler: { timezone: Mars/Olympus }", "scheduler.timezone"],
  ["approvals that approve themselves", "approval: { auto_approve_risk_levels: [low] }", "approval"],
];

test.each(BAD)("both refuse %s", async (_name, yaml, key) => {
  writeFileSync(file, `silas:\n${yaml.replace(/^/gm, "  ")}\n`);
  const checked = await home.silas(["config", "check", file]);
  const started = await home.silas(["start", "--port", "0", "--no-open"]);
  expect([checked.code, started.code]).toEqual([1, 1]);
  const lines = checked.out.trim().split("\n");
  expect(lines.join("\n")).toContain(key);
  for (const line of lines) expect(started.err).toContain(line.replace(/^.*?silas\.yaml/, "silas.yaml"));
});

test("an empty list of gates starts, with a warning at the start, in the check and in the doctor", async () => {
  writeFileSync(file, "silas:\n  gates: { system: [] }\n");
  const warning = /gates\.system is empty/;
  const checked = await home.silas(["config", "check", file]);
  expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(warning) });
  const json = JSON.parse((await home.silas(["config", "check", file, "--json"])).out) as object;
  expect(json).toMatchObject({ ok: true, problems: [], warnings: [expect.stringMatching(warning)] });
  expect((await home.silas(["doctor"])).out).toMatch(/warn +gates +gates\.system is empty/);
  const started = await home.start();
  expect(started.output()).toMatch(/Warning gates\.system is empty/);
  started.child.kill("SIGTERM");
  await started.ended;
  writeFileSync(file, "silas: {}\n");
  expect((await home.silas(["config", "check", file])).out).not.toMatch(warning);
});
