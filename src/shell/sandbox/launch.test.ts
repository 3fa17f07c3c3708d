import { closeSync, openSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { findInherited, launch } from "./launch.ts";
import { CONFIG, tempFolder, timers, runIn, sandboxesIn, spaceIn, textOf } from "./sandbox.fixture.ts";

test("a bubblewrap that is gone by now is told as a program that was not started, and nothing waits for it", async () => {
  const folder = tempFolder();
  const inherited = findInherited();
  onTestFinished(() => closeSync(inherited.nothing));
  const waiting = new Set<() => void>();
  const order = {
    bwrap: `${folder}/bwrap`,
    options: [],
    program: ["/bin/true"],
    handed: [],
    inherited,
    group: null,
    workspace: folder,
    limits: CONFIG.limits,
    timeoutMs: 60_000,
    stdin: null,
    onLine: undefined,
    onInput: undefined,
    timers: {
      after: (delayMs: number, work: () => void) => {
        const cancel = timers.after(delayMs, work);
        waiting.add(cancel);
        return () => (waiting.delete(cancel), cancel());
      },
    },
  };
  const { ended, kill } = launch(order);
  kill();
  expect(await ended).toMatchObject({ ok: false, error: { code: "sandbox_not_started" } });
  expect(waiting.size).toBe(0);
});

const SILAS = fileURLToPath(new URL("./inherited.fixture.ts", import.meta.url));

test("files that whoever started Silas left open are open for no program", async () => {
  const folder = tempFolder();
  const secret = join(folder, "secret");
  writeFileSync(secret, "not for programs");
  const open = openSync(secret, "r");
  // One under a number that a launch uses itself, and some far above all of them.
  const others = Array.from({ length: 61 }, (_, at) => ([4, 27, 28, 60].includes(at) ? open : "ignore"));
  const stdio = ["ignore", "pipe", "inherit", ...others.slice(3)] as const;
  const silas = spawn(process.execPath, [SILAS, join(folder, "work")], { stdio: [...stdio] });
  closeSync(open);
  const [said, [code]] = await Promise.all([text(silas.stdout as NodeJS.ReadableStream), once(silas, "exit")]);
  expect(code).toBe(0);
  const seen = said.trim().split("\n");
  expect(seen).toEqual(expect.arrayContaining(["27 /dev/null", "28 /dev/null", "60 /dev/null"]));
  expect(seen.filter((line) => !line.endsWith(" /dev/null"))).toEqual([]);
});

test("a program has a session of its own, and so no terminal of whoever started Silas", async () => {
  const ran = await runIn(await spaceIn(sandboxesIn(tempFolder())), "/bin/cat", "/proc/self/stat");
  // Number, name, state, parent, group, session. One that began outside is shown as 0.
  expect(textOf(ran.stdout).split(" ")[5]).toMatch(/^[1-9]\d*$/);
});
