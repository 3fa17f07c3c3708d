import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandboxConfig } from "#model";
import type { SandboxSpace } from "#ports";
import { SANDBOX_NODE } from "#sandbox";
import { CONFIG, MIB, run, SANDBOX_BACKENDS, shell, tempFolder, timesFor, workbench } from "./sandbox-fixture.ts";

/** Processes of this machine that hold the mark in their environment. */
const living = (mark: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });

describe.each(SANDBOX_BACKENDS)("the limits and the end of the %s backend", (backend) => {
  const { open, spaceOf } = workbench(backend);

  describe("[SBX-07] time and output end a program with all its descendants", () => {
    test("however they detach themselves, at the end of time or of the program", async () => {
      const mark = `mark-${randomBytes(8).toString("hex")}`;
      const space = await spaceOf({ env: { MARK: mark } });
      const detach =
        "setsid sleep 600 & (setsid sh -c 'trap \"\" TERM; sleep 600' &) & nohup sleep 600 >/dev/null 2>&1 &";
      const late = await run(space, {
        argv: ["/bin/sh", "-c", `${detach} trap '' TERM; echo up; sleep 600`],
        timeoutMs: 700,
      });
      expect(late.end).toEqual({ kind: "timeout" });
      expect(living(mark)).toEqual([]);
      expect((await shell(space, `${detach} echo up`)).end).toEqual({ kind: "exit", code: 0 });
      expect(living(mark)).toEqual([]);
      // What is printed by a container goes through three processes of its engine, which takes seconds for so much.
      if (backend === "docker") return;
      await run(space, { argv: ["/usr/bin/yes"], timeoutMs: 60_000 });
      expect(living(mark)).toEqual([]);
    });

    test("output is cut at the same byte for the same print, however it is printed", async () => {
      const space = await spaceOf({ limits: { ...CONFIG.limits, outputBytes: 1000 } });
      const whole = await run(space, { argv: ["/usr/bin/seq", "1000"] });
      const slow = await shell(space, "for i in $(seq 1000); do echo $i; done; seq 1000 >&2");
      expect(whole.stdout.isTruncated && slow.stdout.isTruncated && slow.stderr.isTruncated).toBe(true);
      expect(whole.stdout.bytes).toHaveLength(1000);
      expect(slow.stdout.bytes).toEqual(whole.stdout.bytes);
      expect(slow.stderr.bytes).toEqual(whole.stdout.bytes);
      const exact = await run(space, { argv: ["/usr/bin/printf", "%1000d", "1"] });
      expect(exact.stdout).toMatchObject({ isTruncated: false });
    });

    test("a run may ask for less time than the space has, not for more", async () => {
      const space = await spaceOf({ limits: { ...CONFIG.limits, timeoutMs: 500 } });
      expect((await run(space, { argv: ["/bin/sleep", "600"], timeoutMs: 500_000 })).end).toEqual({ kind: "timeout" });
    });
  });

  test("[SBX-10] memory, processor time, files and processes have limits for all processes together", async () => {
    const limited = (limits: Partial<SandboxConfig["limits"]>) => spaceOf({ limits: { ...CONFIG.limits, ...limits } });
    const ends = async (space: SandboxSpace, script: string) => (await shell(space, script)).end;
    // More than it may take, and with Node itself less than the 64 MB above that, where the kernel would end it first.
    const take = `${SANDBOX_NODE} -e 'globalThis.kept = Buffer.alloc(${132 * MIB}, 1); setInterval(() => {}, 1000)'`;
    expect(await ends(await limited({ memoryMb: 128 }), take)).toEqual({ kind: "limit", which: "memory" });
    expect(await ends(await limited({ cpuSeconds: 1 }), "while :; do :; done & while :; do :; done")).toEqual({
      kind: "limit",
      which: "cpu",
    });
    expect(await ends(await limited({ processes: 8 }), "for i in $(seq 20); do sleep 60 & done; wait")).toEqual({
      kind: "limit",
      which: "processes",
    });
    const fill = "for i in 1 2 3; do head -c 3000000 /dev/zero > f$i; done; sleep 60";
    expect(await ends(await limited({ fileBytes: 4 * MIB }), fill)).toEqual({ kind: "limit", which: "files" });
    const one = await limited({ fileBytes: 4 * MIB });
    expect(await ends(one, "exec head -c 9000000 /dev/zero > one")).toEqual({ kind: "limit", which: "files" });
  });

  test("[SBX-10] what the kernel holds for a program counts as its memory: files of /tmp, also empty ones, and sockets", async () => {
    // The engine's own limit counts both, and ends the program in its own way.
    if (backend === "docker") return;
    const limited = await spaceOf({ limits: { ...CONFIG.limits, memoryMb: 48 } });
    const files = "cd /tmp && seq 120000 | xargs touch; sleep 60";
    expect((await shell(limited, files)).end).toEqual({ kind: "limit", which: "memory" });
    const pairs = "use Socket; while (socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0)) { push @kept, $a, $b }";
    const argv = ["/usr/bin/perl", "-e", `${pairs}; sleep 60`];
    expect((await run(limited, { argv })).end).toEqual({ kind: "limit", which: "memory" });
  });

  test("[SBX-10] the documentation says what this isolation is, and where the primary boundary lies", () => {
    const said = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8").replaceAll(/\s+/g, " ");
    expect(said).toContain("This is isolation of processes on one kernel");
    expect(said).toContain("The primary boundary is what you approve and what the checks verify");
  });

  describe("[SBX-02] after closing nothing is left", () => {
    test("neither of a space that ran, failed or was never used, nor of one whose program still runs", async () => {
      const folder = tempFolder();
      const sandboxes = open(folder);
      const spaces = await Promise.all([1, 2, 3].map(() => spaceOf({}, sandboxes)));
      const [ran, running] = spaces as [SandboxSpace, SandboxSpace];
      await shell(ran, "mkdir -p a/b; touch a/b/c; chmod 000 a; exit 3");
      const cut = await begun(running);
      await Promise.all(spaces.map((space) => space.close()));
      expect(await cut.ended).toMatchObject({ ok: true, value: { end: { kind: "signal", signal: "SIGKILL" } } });
      for (const { workspace } of spaces) expect(existsSync(workspace)).toBe(false);
      expect(await ran.run({ argv: ["/bin/true"] })).toEqual({ ok: false, error: { code: "sandbox_closed" } });
      await ran.close();
      await sandboxes.close();
      expect(readdirSync(join(folder, "data/sandbox/work"))).toEqual([]);
      expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(folder);
    });

    test("nor of a program that is ended in the moment it is started", async () => {
      const mark = `mark-${randomBytes(8).toString("hex")}`;
      const sandboxes = open(tempFolder());
      for (let waitMs = 0; waitMs < 20; waitMs += 20 / timesFor(backend, 20)) {
        const space = await spaceOf({ env: { MARK: mark } }, sandboxes);
        const cut = space.run({ argv: ["/bin/sleep", "600"], timeoutMs: 1 + waitMs });
        expect(await cut).toMatchObject({ ok: true, value: { end: { kind: "timeout" } } });
        await space.close();
      }
      expect(living(mark)).toEqual([]);
    });

    test("and closing everything closes what is open", async () => {
      const folder = tempFolder();
      const sandboxes = open(folder);
      const space = await spaceOf({}, sandboxes);
      const cut = await begun(space);
      await sandboxes.close();
      expect((await cut.ended).ok).toBe(true);
      expect(readdirSync(join(folder, "data/sandbox/work"))).toEqual([]);
    });
  });
});

/** A program that is seen to run, and would for long. */
async function begun(space: SandboxSpace) {
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const ended = space.run({ argv: ["/bin/sh", "-c", "echo; exec sleep 600"], onLine: () => resolve() });
  await seen;
  return { ended };
}
