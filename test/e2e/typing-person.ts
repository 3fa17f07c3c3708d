/** A person at a real terminal: sees what is printed there, and types. */
import { spawn } from "node:child_process";
import { BIN, type Home } from "./cli-process.ts";

export type Turn = {
  /** Types once this is on the screen. */
  readonly when: RegExp;
  /** Keys as a terminal sends them; `\r` is Enter. */
  readonly type: string;
  /** What happens elsewhere at that moment. */
  readonly act?: () => void;
};
type Sitting = {
  readonly args: readonly string[];
  readonly turns: readonly Turn[];
  /** The time zone of the machine. */
  readonly zone?: string;
  /** Settings, beside those of the home. */
  readonly env?: Readonly<Record<string, string>>;
};
type Sat = { readonly code: number | null; readonly screen: string };

/** Runs a command under a pseudo terminal and plays the turns, each after the other. */
export function sitAt(home: Home, { args, turns, zone = "Europe/Vienna", env: settings = {} }: Sitting) {
  const words = [BIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  // A terminal that nobody opened has no size, and prompts would be wrapped at every letter.
  const command = `stty cols 120 rows 40; exec ${words}`;
  const env = { PATH: process.env["PATH"], HOME: home.dir, SILAS_HOME: home.dir, TZ: zone, TERM: "xterm", ...settings };
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: home.dir,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: 280_000,
  });
  const left = [...turns];
  let [screen, seen] = ["", 0];
  const look = (text: string): void => {
    screen += text;
    const [turn] = left;
    if (turn === undefined || !turn.when.test(screen.slice(seen))) return;
    seen = screen.length;
    left.shift();
    turn.act?.();
    child.stdin.write(turn.type);
  };
  child.stdout.setEncoding("utf8").on("data", look);
  child.stdin.on("error", () => {});
  return new Promise<Sat>((resolve) => child.once("close", (code) => resolve({ code, screen })));
}
