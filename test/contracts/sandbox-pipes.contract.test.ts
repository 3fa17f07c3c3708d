import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandboxCommand, SandboxInput } from "#ports";
import { run, SANDBOX_BACKENDS, textOf, workbench } from "./sandbox-fixture.ts";

const SECRET = Buffer.from("wobble-canary-5521");
const NAME = "SILAS_SECRET_KEY_FD";

describe.each(SANDBOX_BACKENDS)("a secret for a program of the %s backend", (backend) => {
  const { spaceOf } = workbench(backend);

  test("what must be in no variable is read once from a pipe, and is neither in the arguments nor in a file", async () => {
    const space = await spaceOf();
    const script = `
    import { existsSync, readFileSync } from "node:fs";
    const fd = Number(process.env.${NAME});
    const first = readFileSync(fd, "utf8");
    const again = readFileSync(fd, "utf8");
    const seen = JSON.stringify([process.env, process.argv]) + readFileSync("/proc/self/cmdline", "latin1");
    console.log(first, again === "", seen.includes(first), existsSync("/workspace/pipe"));`;
    const argv = ["/opt/silas/bin/node", "--input-type=module", "-"];
    const ran = await run(space, { argv, stdin: Buffer.from(script), pipes: { [NAME]: SECRET } });
    expect(textOf(ran.stderr)).toBe("");
    expect(textOf(ran.stdout)).toBe(`${SECRET.toString()} true false false\n`);
    // A shell reads it by its number, and whoever does not read it is not held up.
    const shell = ["sh", "-c", `cat <&$${NAME}; cat <&$${NAME}; echo; echo $OTHER`];
    const two = await run(space, { argv: shell, pipes: { [NAME]: SECRET, OTHER: Buffer.from("x") } });
    expect(textOf(two.stdout)).toMatch(/^wobble-canary-5521\n\d+\n$/);
    expect((await run(space, { argv: ["true"], pipes: { [NAME]: SECRET } })).end).toEqual({ kind: "exit", code: 0 });
    const next = await run(space, { argv: ["sh", "-c", `echo "$${NAME}"; ls /proc/self/fd/7 /proc/self/fd/8`] });
    expect(textOf(next.stdout)).toBe("\n");
    expect(readdirSync(dirname(space.workspace))).not.toContainEqual(expect.stringMatching(/^pipe-/));
  });

  test("a longer text than a pipe holds is refused, and so is a name that is none", async () => {
    const space = await spaceOf();
    const long = await space.run({ argv: ["true"], pipes: { [NAME]: Buffer.alloc(64 * 1024 + 1) } });
    expect(long).toEqual({ ok: false, error: { code: "sandbox_command_refused", reason: "too_long" } });
    const odd = await space.run({ argv: ["true"], pipes: { "a b": SECRET } });
    expect(odd).toEqual({ ok: false, error: { code: "sandbox_env_refused", name: "a b" } });
  });
});

describe("a program of the subprocess backend that is spoken to", () => {
  const { spaceOf } = workbench("subprocess");

  test("it answers line by line, and hands back what stands on no output", async () => {
    const space = await spaceOf();
    const script = `
    import { writeSync } from "node:fs";
    import { createInterface } from "node:readline";
    for await (const line of createInterface({ input: process.stdin })) console.log("heard " + line);
    writeSync(Number(process.env.BACK_FD), "${SECRET.toString()}");`;
    writeFileSync(join(space.workspace, "talk.mjs"), script);
    const back: string[] = [];
    let input: SandboxInput | null = null;
    const heard: string[] = [];
    const command: SandboxCommand = {
      argv: ["/opt/silas/bin/node", "talk.mjs"],
      onInput: (given) => ((input = given), given.say("one\n")),
      onLine: ({ text }) => {
        heard.push(text);
        if (heard.length === 1) input?.say("two\n");
        else input?.end();
      },
      handsBack: { name: "BACK_FD", take: (bytes) => void back.push(Buffer.from(bytes).toString()) },
    };
    const ran = await run(space, command);
    expect(textOf(ran.stderr)).toBe("");
    expect(heard).toEqual(["heard one", "heard two"]);
    expect(textOf(ran.stdout)).not.toContain(SECRET.toString());
    expect(back).toEqual([SECRET.toString()]);
    expect((await run(space, { ...command, argv: ["true"] })).end).toEqual({ kind: "exit", code: 0 });
    expect(back).toEqual([SECRET.toString(), ""]);
    expect(readdirSync(dirname(space.workspace))).not.toContainEqual(expect.stringMatching(/^pipe-/));
  });
});

describe("a program of the docker backend that would be spoken to", () => {
  const { spaceOf } = workbench("docker");

  test.each([
    ["speak to it", { onInput: () => {} }],
    ["take something back", { handsBack: { name: "BACK_FD", take: () => {} } }],
  ] satisfies [string, Partial<SandboxCommand>][])("is refused to whoever wants to %s", async (_what, wanted) => {
    const refused = { ok: false, error: { code: "sandbox_command_refused", reason: "no_pipes" } };
    expect(await (await spaceOf()).run({ argv: ["true"], ...wanted })).toEqual(refused);
  });
});
