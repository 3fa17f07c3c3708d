import { beforeEach, describe, expect, test } from "vitest";
import { ok, sha256Hex } from "#base";
import type { Credential, SecretRef } from "#model";
import { must } from "../must.fixture.ts";
import { API, AT, header, isZero, MAIL, openCredentials, pipe, workWith } from "./credentials.fixture.ts";
import type { HeldCredentials } from "./run-credentials.ts";

let world: ReturnType<typeof openCredentials>;
beforeEach(() => void (world = openCredentials()));

async function held(...credentials: readonly Readonly<Record<string, Credential>>[]): Promise<HeldCredentials> {
  const taken = must(await world.credentials.take(workWith(...credentials)));
  if (taken === null) throw new Error("the plan names secrets");
  return taken;
}
const refusal = async (credential: Credential): Promise<string> => {
  const taken = await world.credentials.take(workWith({ KEY: credential }));
  if (taken.ok) throw new Error("it was taken");
  return taken.error;
};

describe("which secret a plan may have", () => {
  test("a plan that names none needs no vault", async () => {
    expect(await world.credentials.take(workWith({}))).toEqual(ok(null));
    expect(world.given).toEqual([]);
  });

  test("[SECRET-04] a header goes to the host it was saved for and to no other, whatever the port", async () => {
    await world.save("api.token", API, "api.example.org:443");
    for (const host of ["api.example.org", "api.example.org:443"]) await held({ KEY: header("api.token", host) });
    for (const host of ["other.example.org", "api.example.org:8443", "sub.api.example.org", "example.org"])
      expect(await refusal(header("api.token", host)), host).toMatch(
        /was saved for api\.example\.org:443, and the plan uses it for/,
      );
    await world.save("plain.key", MAIL);
    expect(await refusal(header("plain.key", "api.example.org"))).toMatch(/was saved for no host/);
  });

  test("[SECRET-04] a secret that was saved for a host is given to no program", async () => {
    await world.save("api.token", API, "api.example.org:443");
    expect(await refusal(pipe("api.token"))).toMatch(
      /was saved for api\.example\.org:443, and no program gets to hold it/,
    );
    expect(world.given).toEqual([]);
  });

  test("one that is missing, is waited for anew, is too short or does not fit a header is refused in words", async () => {
    expect(await refusal(pipe("none"))).toMatch(
      /not in the vault, or a new one is waited for: `silas secrets set none`/,
    );
    await world.save("again", API);
    must(await world.ask("again"));
    expect(await refusal(pipe("again"))).toMatch(/a new one is waited for/);
    await world.save("gone", API);
    must(await world.vault.remove("gone" as SecretRef));
    expect(await refusal(pipe("gone"))).toBe("the secret gone is not in the vault");
    await world.save("short", "1234567");
    expect(await refusal(pipe("short"))).toMatch(/fewer than 8 bytes/);
    await world.save("enough", "12345678");
    await held({ KEY: pipe("enough") });
    for (const value of ["line\nbreak-1", " space-first", "space-last ", "caf\u00e9-secret"]) {
      await world.save("odd", value, "api.example.org:443");
      expect(await refusal(header("odd", "api.example.org")), value).toMatch(/characters that no header may have/);
    }
    await world.save("lines", "line\nbreak-1");
    await held({ KEY: pipe("lines") });
    await world.save("with-space", "two words 12", "api.example.org:443");
    await held({ KEY: header("with-space", "api.example.org") });
  });

  test("each is read from the vault once, however many steps name it", async () => {
    await world.save("api.token", API, "api.example.org:443");
    const one = header("api.token", "api.example.org");
    await held({ A: one, B: one }, { A: one });
    expect(world.given).toHaveLength(1);
  });
});

describe("what a step is handed", () => {
  const twoSteps = async (): Promise<HeldCredentials> => {
    await world.save("api.token", API, "api.example.org:443");
    await world.save("mail.key", MAIL);
    return held(
      { API: header("api.token", "api.example.org") },
      { MAIL: pipe("mail.key"), KEY: header("api.token", "api.example.org", "x-key") },
    );
  };
  const refs = (all: Readonly<Record<string, string>>) => all as Readonly<Record<string, SecretRef>>;

  test("[SECRET-04] what its own step of the plan names under that name, and nothing else", async () => {
    const { handOver } = await twoSteps();
    const first = await handOver({ stepIndex: 0, credentialRefs: refs({ API: "api.token" }) });
    expect(first?.pipes).toEqual({});
    expect(first?.credentials).toMatchObject([{ host: { port: 443 }, header: "authorization" }]);
    const second = await handOver({ stepIndex: 1, credentialRefs: refs({ MAIL: "mail.key", KEY: "api.token" }) });
    expect(Object.entries(second?.pipes ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
      ["SILAS_SECRET_MAIL_FD", MAIL],
    ]);
    expect(second?.credentials).toMatchObject([{ header: "x-key" }]);
    for (const [stepIndex, names] of [
      [0, { MAIL: "mail.key" }],
      [0, { API: "mail.key" }],
      [1, { MAIL: "api.token" }],
      [1, { API: "api.token" }],
      [0, { constructor: "api.token" }],
      [2, { API: "api.token" }],
      [0, {}],
    ] as const) {
      const handed = await handOver({ stepIndex, credentialRefs: refs(names) });
      expect(handed, JSON.stringify([stepIndex, names])).toEqual({ pipes: {}, credentials: [] });
    }
  });

  test("a use is on record before the secret leaves, once for each step, with its name and host alone", async () => {
    const { handOver } = await twoSteps();
    const first = await handOver({ stepIndex: 0, credentialRefs: refs({ API: "api.token" }) });
    expect(world.drafts).toEqual([]);
    const [credential] = first?.credentials ?? [];
    expect([await credential?.reveal(), await credential?.reveal()]).toEqual([`Bearer ${API}`, `Bearer ${API}`]);
    await handOver({ stepIndex: 1, credentialRefs: refs({ MAIL: "mail.key" }) });
    const used = { event: "credential_used", at: AT, actor: { kind: "system" } };
    const run = { run_id: "run-1", work_item_id: "task-1" };
    expect(world.drafts).toEqual([
      { ...used, data: { ...run, index: 0, ref_id: "api.token", host: "api.example.org:443" } },
      { ...used, data: { ...run, index: 1, ref_id: "mail.key", host: null } },
    ]);
    const named = await handOver({ stepIndex: 1, credentialRefs: refs({ KEY: "api.token" }) });
    expect(await named?.credentials[0]?.reveal()).toBe(API);
  });

  test("what is piped is no header, also where the plan names a host beside it", async () => {
    await world.save("mail.key", MAIL);
    const { handOver } = await held({ MAIL: { ...pipe("mail.key"), host: "api.example.org" } });
    const handed = await handOver({ stepIndex: 0, credentialRefs: refs({ MAIL: "mail.key" }) });
    expect([Object.keys(handed?.pipes ?? {}), handed?.credentials]).toEqual([["SILAS_SECRET_MAIL_FD"], []]);
  });

  test("a use that cannot be recorded hands over nothing", async () => {
    const { handOver } = await twoSteps();
    world.fails.audit = true;
    expect(await handOver({ stepIndex: 1, credentialRefs: refs({ MAIL: "mail.key" }) })).toBeNull();
    const header0 = await handOver({ stepIndex: 0, credentialRefs: refs({ API: "api.token" }) });
    expect(await header0?.credentials[0]?.reveal()).toBeNull();
  });
});

describe("what shows a secret", () => {
  test("is found by its name, in any form, and that it was not kept is on record", async () => {
    await world.save("api.token", API, "api.example.org:443");
    await world.save("mail.key", MAIL);
    const { find, traceBytes, withheld } = await held({
      A: header("api.token", "api.example.org"),
      B: pipe("mail.key"),
    });
    for (const [value, ref] of [
      [API, "api.token"],
      [MAIL, "mail.key"],
    ] as const)
      for (const form of [
        value,
        Buffer.from(value).toString("hex"),
        Buffer.from(value).toString("base64url"),
        sha256Hex(value),
      ])
        expect(find(Buffer.from(`said ${form} aloud`)), form).toBe(ref);
    expect(find(Buffer.from("said nothing"))).toBeNull();
    expect(traceBytes).toBeGreaterThanOrEqual(64);
    await withheld("mail.key" as SecretRef);
    expect(world.drafts).toMatchObject([{ event: "output_withheld", data: { run_id: "run-1", ref_id: "mail.key" } }]);
  });
});

describe("wiping", () => {
  test("[SECRET-09] letting go overwrites every copy and every form of every secret", async () => {
    await world.save("api.token", API, "api.example.org:443");
    await world.save("mail.key", MAIL);
    const taken = await held({ A: header("api.token", "api.example.org") }, { B: pipe("mail.key") });
    const handed = await taken.handOver({ stepIndex: 0, credentialRefs: { A: "api.token" } as never });
    const traces = handed?.credentials[0]?.traces ?? [];
    expect(traces.length).toBeGreaterThan(5);
    expect([...world.given.map(({ bytes }) => bytes), ...traces].some(isZero)).toBe(false);
    taken.letGo();
    expect(world.given.map(({ ref, bytes }) => [ref, isZero(bytes)])).toEqual([
      ["api.token", true],
      ["mail.key", true],
    ]);
    expect(traces.every(isZero)).toBe(true);
    expect(taken.find(Buffer.from(API))).toBeNull();
  });

  test("[SECRET-09] what was read before another secret was refused is overwritten, the refused one among it", async () => {
    await world.save("api.token", API, "api.example.org:443");
    await world.save("short", "1234567");
    const taken = await world.credentials.take(
      workWith({ A: header("api.token", "api.example.org") }, { B: pipe("short") }),
    );
    expect(taken.ok).toBe(false);
    expect(world.given.map(({ ref, bytes }) => [ref, isZero(bytes)])).toEqual([
      ["api.token", true],
      ["short", true],
    ]);
  });
});
