import { closeSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { findInherited } from "./inherited.ts";
import { launch } from "./launch.ts";
import { CONFIG, tempFolder, timers } from "./sandbox.fixture.ts";

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
