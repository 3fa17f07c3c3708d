import { PassThrough, Readable } from "node:stream";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createWholeProgram } from "./program.ts";

const WIDTH = 80;

const withVerbs = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(withVerbs)];

test("the help of every command fits a terminal of 80 columns, names each option once, and says nothing of what is off", async () => {
  const outside = {
    version: "0.0.0",
    argv: [],
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const program = await createWholeProgram(outside, () => async () => undefined);
  const all = withVerbs(program);
  expect(all.length).toBeGreaterThan(100);
  for (const command of all) {
    const help = command.helpInformation();
    const lines = help.split("\n");
    expect(
      lines.filter((line) => line.length > WIDTH),
      command.name(),
    ).toEqual([]);
    const options = lines.flatMap((line) => /^ {2}(?:-\w, )?(--[a-z-]+)/.exec(line)?.[1] ?? []);
    expect(options, command.name()).toEqual([...new Set(options)]);
    expect(help, command.name()).not.toMatch(/default:\s+(?:false|\[\])/);
  }
});
