import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runIn, sandboxesIn, spaceIn, tempFolder, textOf } from "./sandbox.fixture.ts";

const CHOSEN = "/etc/alternatives";

function linksOfThisMachine(): readonly string[] {
  if (!existsSync(CHOSEN)) return [];
  const links = readdirSync(CHOSEN, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  return links.map(({ name }) => `${name} ${readlinkSync(join(CHOSEN, name))}`);
}

test("[SBX-01] a program finds the programs that this machine chose among alternatives, and nothing else of its /etc", async () => {
  const space = await spaceIn(sandboxesIn(tempFolder()));
  const links = await runIn(space, "/usr/bin/find", CHOSEN, "-type", "l", "-printf", "%f %l\\n");
  const found = textOf(links.stdout).split("\n").filter(Boolean);
  expect(found.toSorted()).toEqual(linksOfThisMachine().toSorted());
  const listed = await runIn(space, "/bin/ls", "-A", "/etc");
  const cache = existsSync("/etc/ld.so.cache") ? ["ld.so.cache"] : [];
  expect(textOf(listed.stdout).split("\n").filter(Boolean)).toEqual(["alternatives", "group", ...cache, "passwd"]);
});
