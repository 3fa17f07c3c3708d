import { expect, test } from "vitest";
import { missingPrograms, planInstall, SYSTEM_PACKAGES, type Machine } from "./system-packages.ts";

const machine = (platform: NodeJS.Platform, commands: readonly string[], user: "root" | "person"): Machine => ({
  platform,
  isRoot: user === "root",
  hasCommand: (command) => commands.includes(command),
});

test("asks for nothing when everything is there, whatever the browser is called", () => {
  expect(planInstall(machine("linux", ["google-chrome", "bwrap", "prlimit", "podman", "runc"], "person"))).toEqual({
    kind: "nothing",
  });
});

test("installs only what is missing, as root where apt exists", () => {
  expect(planInstall(machine("linux", ["apt-get", "chromium"], "root"))).toEqual({
    kind: "apt",
    packages: ["bubblewrap", "util-linux", "podman", "runc"],
    names: "bubblewrap (bwrap) and util-linux (prlimit) and podman and runc",
  });
});

test("tells a person exactly what to run", () => {
  const plan = planInstall(machine("linux", ["apt-get"], "person"));
  expect(plan).toMatchObject({
    kind: "tell",
    sentence: expect.stringContaining("sudo apt-get install --yes chromium bubblewrap util-linux podman runc"),
  });
});

test("a Linux without apt and a Mac get their own words; the sandbox is asked for on Linux only", () => {
  expect(planInstall(machine("linux", [], "root"))).toMatchObject({
    sentence: expect.stringContaining("chromium and bubblewrap (bwrap) and util-linux (prlimit) and podman and runc"),
  });
  expect(planInstall(machine("darwin", [], "person"))).toMatchObject({
    sentence: expect.stringContaining("brew install --cask chromium"),
  });
  expect(planInstall(machine("darwin", ["chromium"], "person"))).toEqual({ kind: "nothing" });
});

test("a project asks for its own programs only, and each of them alone is named with what to install", () => {
  const all = SYSTEM_PACKAGES.flatMap(({ commands }) => commands);
  for (const { aptName, commands, projects } of SYSTEM_PACKAGES) {
    const without = machine(
      "linux",
      all.filter((command) => !commands.includes(command)),
      "person",
    );
    const asking = ["unit", "tidy", "terminal", "browser"].filter((project) =>
      missingPrograms([project], without)?.startsWith(`The tests need ${aptName}`),
    );
    expect(asking.toSorted()).toEqual(projects.toSorted());
  }
});
