import { beforeEach, describe, expect, test } from "vitest";
import { err, ok } from "#base";
import type { SandboxRun } from "#model";
import type { SandboxCommand, SandboxSpace } from "#ports";
import { must } from "../must.fixture.ts";
import { API, header, isZero, MAIL, openCredentials, pipe, workWith } from "./credentials.fixture.ts";
import { createGuards } from "./run-credentials.ts";

let world: ReturnType<typeof openCredentials>;
beforeEach(() => void (world = openCredentials()));

describe("the space of a run", () => {
  const space = (over: Partial<SandboxSpace> = {}) =>
    ({
      workspace: process.cwd(),
      run: async () => err({ code: "sandbox_closed" }),
      close: async () => {},
      ...over,
    }) as SandboxSpace;

  test("[SECRET-09] a space that closes, closes badly or was never opened leaves no secret behind", async () => {
    await world.save("mail.key", MAIL);
    const guards = createGuards(world.credentials);
    const work = { ...workWith({ A: pipe("mail.key") }), files: { write: [] } };
    const last = () => isZero(world.given.at(-1)?.bytes ?? Buffer.from("none"));
    const closing = must(await guards.open(work, async () => ok(space())));
    expect(last()).toBe(false);
    await closing.close();
    expect(last()).toBe(true);
    const failing = must(
      await guards.open(work, async () => ok(space({ close: () => Promise.reject(new Error("stuck")) }))),
    );
    expect(last()).toBe(false);
    await expect(failing.close()).rejects.toThrow("stuck");
    expect(last()).toBe(true);
    expect(await guards.open(work, async () => err("no room"))).toEqual(err("no room"));
    expect(world.given).toHaveLength(3);
    expect(last()).toBe(true);
  });

  test("nothing is opened for a plan whose secret cannot be had, and a plan without secrets gets the space as it is", async () => {
    const guards = createGuards(world.credentials);
    let opened = 0;
    const opening = async () => ((opened += 1), ok(space()));
    const refused = await guards.open({ ...workWith({ A: pipe("none") }), files: { write: [] } }, opening);
    expect(refused).toEqual(err(expect.stringMatching(/^Nothing could run: the secret none is not in the vault/)));
    expect(opened).toBe(0);
    const plain = space();
    expect(must(await guards.open({ ...workWith({}), files: { write: [] } }, async () => ok(plain)))).toBe(plain);
    expect(guards.asStep(plain, { envelope: { stepIndex: 0, credentialRefs: {} } })).toBe(plain);
  });

  test("[SECRET-04] only the program of the step that names a secret is given it", async () => {
    await world.save("mail.key", MAIL);
    const guards = createGuards(world.credentials);
    const seen: (readonly string[])[] = [];
    const run: SandboxSpace["run"] = async ({ pipes = {} }) => {
      seen.push(Object.keys(pipes));
      return err({ code: "sandbox_closed" });
    };
    const work = { ...workWith({ A: pipe("mail.key") }, {}), files: { write: [] } };
    const guarded = must(await guards.open(work, async () => ok(space({ run }))));
    const own = { stepIndex: 0, credentialRefs: { A: "mail.key" } } as never;
    const other = { stepIndex: 1, credentialRefs: { A: "mail.key" } } as never;
    for (const envelope of [own, other]) await guards.asStep(guarded, { envelope }).run({ argv: ["true"] });
    await guarded.run({ argv: ["true"] });
    expect(seen).toEqual([["SILAS_SECRET_A_FD"], [], []]);
    world.fails.audit = true;
    const unrecorded = await guards.asStep(guarded, { envelope: own }).run({ argv: ["true"] });
    expect(unrecorded).toMatchObject({ error: { code: "sandbox_not_started" } });
    expect(seen).toHaveLength(3);
  });
});

describe("what a program with secrets prints", () => {
  const printed = (stdout: string, stderr = "", isTruncated = false): SandboxRun =>
    ({
      end: { kind: "exit", code: 0 },
      durationMs: 1,
      stdout: { bytes: Buffer.from(stdout), isTruncated },
      stderr: { bytes: Buffer.from(stderr), isTruncated },
    }) as unknown as SandboxRun;
  const guardedBy = async (run: SandboxSpace["run"]) => {
    await world.save("mail.key", MAIL);
    await world.save("api.token", API, "api.example.org:443");
    const guards = createGuards(world.credentials);
    const work = {
      ...workWith({ A: pipe("mail.key"), B: header("api.token", "api.example.org") }),
      files: { write: [] },
    };
    const inner = { id: "space", workspace: process.cwd(), run, close: async () => {} };
    return { guards, guarded: must(await guards.open(work, async () => ok(inner))) };
  };

  test("[SECRET-04] is not kept when it shows one, on either stream, and that is on record", async () => {
    for (const [out, error] of [
      [`got ${MAIL}`, ""],
      ["", `got ${Buffer.from(MAIL).toString("hex")}`],
    ] as const) {
      world = openCredentials();
      const { guarded } = await guardedBy(async () => ok(printed(out, error)));
      expect(await guarded.run({ argv: ["true"] })).toEqual(
        err({ code: "sandbox_output_withheld", refId: "mail.key" }),
      );
      expect(world.drafts).toMatchObject([{ event: "output_withheld", data: { ref_id: "mail.key" } }]);
    }
    world = openCredentials();
    const { guarded } = await guardedBy(async () => ok(printed("nothing", "of it")));
    expect(await guarded.run({ argv: ["true"] })).toMatchObject({
      ok: true,
      value: { stdout: { isTruncated: false } },
    });
    expect(world.drafts).toEqual([]);
  });

  test("[SECRET-04] loses its end where it was cut off, since a secret may be cut off with it", async () => {
    const beginning = MAIL.slice(0, -1);
    const { guarded } = await guardedBy(async () => ok(printed(`${"x".repeat(500)}${beginning}`, "", true)));
    const ran = must(await guarded.run({ argv: ["true"] }));
    const kept = Buffer.from(ran.stdout.bytes).toString();
    expect(kept).toMatch(/^x{300,}$/);
    const { guarded: whole } = await guardedBy(async () => ok(printed("short and whole")));
    expect(Buffer.from(must(await whole.run({ argv: ["true"] })).stdout.bytes).toString()).toBe("short and whole");
  });

  test("is told to nobody line by line, and the headers of a step go to the gateway alone", async () => {
    const seen: SandboxCommand[] = [];
    const { guards, guarded } = await guardedBy(async (command) => {
      seen.push(command);
      return ok(printed("ok"));
    });
    const network = { hosts: [] } as never;
    await guarded.run({ argv: ["true"], onLine: () => {}, network });
    const envelope = { stepIndex: 0, credentialRefs: { B: "api.token" } } as never;
    await guards.asStep(guarded, { envelope }).run({ argv: ["true"], network });
    await guards.asStep(guarded, { envelope }).run({ argv: ["true"] });
    expect(seen[0]).not.toHaveProperty("onLine");
    expect(seen.map((command) => command.network?.credentials?.length ?? 0)).toEqual([0, 1, 0]);
  });

  test("names of files that show one are left out", async () => {
    const { guards, guarded } = await guardedBy(async () => ok(printed("ok")));
    const names = ["report.txt", `${MAIL}.txt`, `${API}`];
    expect(guards.clearNames(guarded, names)).toEqual(["report.txt", "(withheld)", "(withheld)"]);
    const plain = { id: "x", workspace: "", run: guarded.run, close: async () => {} };
    expect(guards.clearNames(plain, names)).toEqual(names);
  });
});
