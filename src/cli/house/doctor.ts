import { oneLine } from "#base";
import type { Define, Handler } from "../terminal/context.ts";
import { EXIT } from "../terminal/failure.ts";

export type Finding = {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly message: string;
  /** One line: the command or the act that repairs it. */
  readonly fix: string | null;
  /** Set when `--fix` repaired it just now. */
  readonly fixed?: true;
};

export const define: Define = (doctor, act) => {
  doctor
    .option("--json", "print JSON")
    .option("--fix", "make the safe repairs: access rights, leftovers of a crash")
    .action(act(runDoctor));
};

const runDoctor: Handler<{ readonly json?: boolean; readonly fix?: true }> = async (call) => {
  const { options, terminal } = call;
  // Loaded on use: the checks look into every room.
  const { runChecks } = await import("./doctor-checks.ts");
  const findings = await runChecks({
    environment: call.environment,
    here: call.here,
    version: call.outside.version,
    repair: options.fix ? "safe" : "none",
  });
  const failed = findings.some(({ state }) => state === "fail");
  if (options.json) {
    terminal.json({ ok: !failed, checks: findings });
  } else {
    const { paint } = terminal;
    const width = Math.max(...findings.map(({ check }) => check.length));
    const marks = { ok: paint.green("ok  "), warn: paint.yellow("warn"), fail: paint.red("fail") };
    for (const { check, state, message, fix, fixed } of findings) {
      terminal.line(`${marks[state]}  ${check.padEnd(width)} ${oneLine(message)}${fixed ? " (repaired)" : ""}`);
      if (fix !== null && state !== "ok") terminal.line(`      ${" ".repeat(width)} fix: ${oneLine(fix)}`);
    }
  }
  return failed ? EXIT.failed : EXIT.ok;
};
