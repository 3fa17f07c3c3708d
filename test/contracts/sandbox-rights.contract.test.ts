import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONFIG, MIB, run, SANDBOX_BACKENDS, shell, tempFolder, textOf, workbench } from "./sandbox-fixture.ts";

const modesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, (lstatSync(join(folder, name)).mode & 0o7777).toString(8)]),
  );

describe.each(SANDBOX_BACKENDS)("what a program of the %s backend leaves", (backend) => {
  const { open, spaceOf } = workbench(backend);

  test("[SBX-08] no file in a granted folder runs with the rights of its owner or group, and every other mode is kept", async () => {
    const folder = tempFolder();
    const space = await spaceOf({ writePaths: [{ path: folder, as: "/granted" }] });
    const script = `umask 0; cd /granted
      for mode in 755 1755 640 2755 4755 6755; do echo x > by-chmod-$mode; chmod $mode by-chmod-$mode; done
      exec perl -e 'umask 0; for my $mode (0755, 02755, 04755) { my $name = sprintf("%o", $mode);
        sysopen(my $f, "by-open-$name", 0101, $mode); mkdir "by-mkdir-$name", $mode; }'`;
    expect((await shell(space, script)).end).toEqual({ kind: "exit", code: 0 });
    expect(modesIn(folder)).toEqual({
      "by-chmod-1755": "1755",
      "by-chmod-2755": "666",
      "by-chmod-4755": "666",
      "by-chmod-640": "640",
      "by-chmod-6755": "666",
      "by-chmod-755": "755",
      "by-mkdir-755": "755",
      "by-open-755": "755",
    });
  });

  test("[SBX-06] a copy that a space begins with has none of these rights, whatever the copied files have", async () => {
    const seed = tempFolder();
    writeFileSync(join(seed, "program"), "");
    mkdirSync(join(seed, "folder"));
    for (const [name, mode] of [
      ["program", 0o6751],
      ["folder", 0o3750],
    ] as const)
      chmodSync(join(seed, name), mode);
    const space = await spaceOf({ workDir: seed });
    expect(modesIn(space.workspace)).toEqual({ folder: "750", program: "751" });
    expect(modesIn(seed)).toEqual({ folder: "3750", program: "6751" });
  });

  test("[SBX-10] the kernel itself stops a program that forks while Silas is too busy to look", async () => {
    // A Silas that never has time: no timer of its own fires, the watcher's among them.
    const stalled = open(tempFolder(), { after: () => () => {} });
    const space = await spaceOf({ limits: { ...CONFIG.limits, processes: 4 } }, stalled);
    const script = `my $made = 0; for (1..300) { my $pid = fork; last unless defined $pid; if ($pid == 0) { sleep 600; exit } $made++ }
      $| = 1; print "$made\\n";`;
    const ran = await run(space, { argv: ["/usr/bin/perl", "-e", script] });
    expect(Number(textOf(ran.stdout))).toBeGreaterThan(0);
    expect(Number(textOf(ran.stdout))).toBeLessThan(100);
  });

  test("[SBX-10] one file cannot grow past its limit in a granted folder either, which nobody counts", async () => {
    const folder = tempFolder();
    const limits = { ...CONFIG.limits, fileBytes: MIB };
    const space = await spaceOf({ limits, writePaths: [{ path: folder, as: "/granted" }] });
    const ran = await shell(space, "exec head -c 3000000 /dev/zero > /granted/big");
    expect(ran.end).toEqual({ kind: "limit", which: "files" });
    expect(lstatSync(join(folder, "big")).size).toBe(MIB);
  });
});
