import { expect, test } from "vitest";
import { err, ok } from "#base";
import { defaultSandboxConfig, type Stopped } from "#model";
import type { Sandboxes, SandboxSpace, StopStore } from "#ports";
import { withStop } from "./stoppable.ts";

const CONFIG = defaultSandboxConfig({ memoryMb: 64, cpuSeconds: 1 });
const STOPPED = { at: "2026-11-16T03:00:00.000Z", by: "owner" } as Stopped;
const NOTHING = { bytes: new Uint8Array(), isTruncated: false };

/** Sandboxes that count what they are asked for, and a stop that a test sets. */
function world() {
  const seen = { opened: 0, ran: 0, closed: 0 };
  const [held, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stop: { current: Awaited<ReturnType<StopStore["current"]>>; onOpening: () => void } = {
    current: ok(null),
    onOpening: () => {},
  };
  const space: SandboxSpace = {
    id: "space",
    workspace: "/nowhere",
    run: async ({ argv }) => {
      seen.ran += 1;
      started.resolve();
      if (argv[0] === "sleep") await held.promise;
      return ok({ end: { kind: "exit", code: 0 }, stdout: NOTHING, stderr: NOTHING, durationMs: 1 });
    },
    close: async () => void (seen.closed += 1),
  };
  const inner: Sandboxes = {
    support: async () => ({ state: "ready", backend: "subprocess", version: "played" }),
    close: async () => {},
    open: async () => {
      seen.opened += 1;
      stop.onOpening();
      return ok({ ...space });
    },
  };
  return { seen, stop, held, started, sandboxes: withStop(inner, { current: async () => stop.current }) };
}
const REFUSED = { ok: false, error: { code: "sandbox_stopped" } };

test("while everything is stopped no space is opened, and nothing runs in one that is open", async () => {
  const { seen, stop, sandboxes } = world();
  const opened = await sandboxes.open(CONFIG);
  if (!opened.ok) throw new Error(opened.error.code);
  expect(await opened.value.run({ argv: ["true"] })).toMatchObject({ ok: true });
  stop.current = ok(STOPPED);
  expect(await opened.value.run({ argv: ["true"] })).toEqual(REFUSED);
  expect(await sandboxes.open(CONFIG)).toEqual(REFUSED);
  expect(seen).toEqual({ opened: 1, ran: 1, closed: 0 });
  stop.current = ok(null);
  expect(await opened.value.run({ argv: ["true"] })).toMatchObject({ ok: true });
});

test("a stop that cannot be read counts as one", async () => {
  const { stop, sandboxes, seen } = world();
  stop.current = err({ code: "store_failed", retryable: false });
  expect(await sandboxes.open(CONFIG)).toEqual(REFUSED);
  expect(seen.opened).toBe(0);
});

test("a space that is opened while somebody stops everything is closed again", async () => {
  const { stop, sandboxes, seen } = world();
  stop.onOpening = () => void (stop.current = ok(STOPPED));
  expect(await sandboxes.open(CONFIG)).toEqual(REFUSED);
  expect(seen).toEqual({ opened: 1, ran: 0, closed: 1 });
});

test("halting ends what runs in every space, and leaves a space alone in which nothing runs", async () => {
  const { sandboxes, seen, held } = world();
  const spaces = [await sandboxes.open(CONFIG), await sandboxes.open(CONFIG), await sandboxes.open(CONFIG)];
  const running = spaces.slice(0, 2).map((opened) => opened.ok && opened.value.run({ argv: ["sleep"] }));
  await sandboxes.halt();
  expect(seen).toMatchObject({ opened: 3, closed: 2 });
  held.resolve();
  await Promise.all(running);
  await sandboxes.halt();
  expect(seen).toMatchObject({ closed: 2 });
  expect(spaces[2]?.ok && (await spaces[2].value.run({ argv: ["true"] }))).toMatchObject({ ok: true });
});

test("halting ends a program that has been running for a while", async () => {
  const { sandboxes, seen, held, started } = world();
  const opened = await sandboxes.open(CONFIG);
  const running = opened.ok && opened.value.run({ argv: ["sleep"] });
  await started.promise;
  await sandboxes.halt();
  expect(seen).toMatchObject({ ran: 1, closed: 1 });
  held.resolve();
  await running;
});
