import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { egressWords, type EgressUse } from "#model";
import type { EgressCredential } from "#ports";
import {
  CONFIG,
  deafServer,
  echoServer,
  internetOf,
  openDoor,
  pageOf,
  rules,
  serverOf,
  tunnelTo,
} from "./gateway.fixture.ts";
import { createEgressGateway } from "./waiting-gateway.ts";

const HOST = "api.example.org";
const limits = { requests: 100, bytes: 1000, connections: 64, connectMs: 10_000, idleMs: 600_000 };

const TOO_MANY_BYTES = { kind: "refused", target: { host: HOST, port: 443 }, reason: "too_many_bytes" };

/** An internet of one server that remembers the connections that were made to it. */
async function internetWith(server: Promise<number>) {
  const internet = internetOf({ [HOST]: ["93.184.215.14"] }, await server);
  const made: Socket[] = [];
  const dial: typeof internet.dial = (to) => {
    const socket = internet.dial(to);
    made.push(socket);
    return socket;
  };
  return { ...internet, dial, made };
}

const credentialThat = (reveal: EgressCredential["reveal"]): EgressCredential => ({
  host: { host: HOST, port: 443 },
  header: "authorization",
  reveal,
  traces: [],
});

const echoing = () => internetWith(echoServer());

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

type Door = Awaited<ReturnType<typeof openDoor>>;

async function tunnelThrough({ say }: Door) {
  const talk = await say(tunnelTo(`${HOST}:443`));
  expect(await talk.until("\r\n\r\n")).toContain("200");
  return talk;
}

describe("a door that is closed", () => {
  test("has ended every connection on both sides, lets nothing through any more, and tells its sums once", async () => {
    const network = await echoing();
    const opened = await openDoor({ hosts: [HOST], network });
    const talks = [await tunnelThrough(opened), await tunnelThrough(opened), await tunnelThrough(opened)];
    const silent = await opened.say("CONNECT ");
    await opened.door.close();
    expect(network.made.map(({ closed }) => closed)).toEqual([true, true, true]);
    for (const talk of [...talks, silent]) await talk.whole();
    expect(await (await opened.say(tunnelTo(`${HOST}:443`))).whole()).toBe("");
    expect(await (await opened.say(pageOf(`http://${HOST}:443/`))).whole()).toBe("");
    expect(network.dialled).toHaveLength(3);
    const told = [...opened.uses];
    expect(told.map(({ kind }) => kind)).toEqual(["opened", "ended"]);
    await opened.door.close();
    expect(opened.uses).toEqual(told);
  });

  test("is closed only once its sums are kept, also for whoever closes it a second time meanwhile", async () => {
    const keeping = Promise.withResolvers<boolean>();
    const asked = Promise.withResolvers<void>();
    const keeps = ({ kind }: EgressUse) => (kind === "ended" ? (asked.resolve(), keeping.promise) : true);
    const opened = await openDoor({ hosts: [HOST], network: await echoing(), keeps });
    await tunnelThrough(opened);
    const order: string[] = [];
    const closings = [opened.door.close(), opened.door.close()].map((closing) =>
      closing.then(() => order.push("closed")),
    );
    await asked.promise;
    await nextTurn();
    order.push("kept");
    keeping.resolve(true);
    await Promise.all(closings);
    expect(order).toEqual(["kept", "closed", "closed"]);
  });

  test("ends a connection over which a secret was about to go", async () => {
    const network = await internetWith(deafServer());
    const asked = Promise.withResolvers<void>();
    const reveal = (): Promise<string> => (asked.resolve(), new Promise(() => {}));
    const opened = await openDoor({ hosts: [HOST], network, limits, credentials: [credentialThat(reveal)] });
    const talk = await opened.say(pageOf(`http://${HOST}/`));
    await asked.promise;
    await opened.door.close();
    expect(await talk.whole()).toBe("");
    expect(network.made.map(({ closed }) => closed)).toEqual([true]);
  });

  test("keeps nothing of its folder open, and neither does one that could not be opened", async () => {
    const folder = mkdtempSync(join(tmpdir(), "silas-door-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const gateway = createEgressGateway({ timers: { after: () => () => undefined }, config: CONFIG });
    const grant = { hosts: rules(HOST), onUse: async () => true };
    const open = (name: string) => gateway.open(join(folder, name), grant);
    const fault = { ok: false, error: expect.objectContaining({ code: "egress_not_opened" }) };
    const first = await open("door");
    if (!first.ok) throw new Error(first.error.code);
    expect(handlesOf(folder)).toBe(1);
    expect(await open("door")).toEqual(fault);
    expect(await open("nowhere/door")).toEqual(fault);
    expect(handlesOf(folder)).toBe(1);
    await first.value.close();
    expect(handlesOf(folder)).toBe(0);
  });
});

const handlesOf = (folder: string): number =>
  readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === folder;
    } catch {
      // The handle that lists the others is closed by now.
      return false;
    }
  }).length;

describe("the limits of a door", () => {
  test("as many connections as a run may have are served, another is cut off, and a place that is free is taken again", async () => {
    const network = await echoing();
    const opened = await openDoor({ hosts: [HOST], network, limits: { ...limits, connections: 3 } });
    const talks = [await tunnelThrough(opened), await tunnelThrough(opened), await tunnelThrough(opened)];
    expect(await (await opened.say(tunnelTo(`${HOST}:443`))).whole()).toBe("");
    expect(network.dialled).toHaveLength(3);
    talks[0]?.socket.destroy();
    await talks[0]?.whole();
    await expect.poll(async () => (await opened.say(tunnelTo(`${HOST}:443`))).until("\r\n\r\n")).toContain("200");
    expect(await (await opened.say(tunnelTo(`${HOST}:443`))).whole()).toBe("");
    for (const talk of talks.slice(1)) {
      talk.socket.write("still here");
      expect(await talk.until("still here")).toContain("still here");
    }
  });

  test("a tunnel ends on both sides when either side ends it, or when nothing moves on it", async () => {
    const network = await internetWith(deafServer());
    const opened = await openDoor({ hosts: [HOST], network, limits });
    const [left, cut] = [await tunnelThrough(opened), await tunnelThrough(opened)];
    left.socket.destroy();
    await expect.poll(() => network.made[0]?.closed).toBe(true);
    network.made[1]?.destroy();
    await cut.whole();
    const idle = await openDoor({ hosts: [HOST], network, limits: { ...limits, idleMs: 50 } });
    await (await idle.say(tunnelTo(`${HOST}:443`))).whole();
    // On a busy machine so short a time may be over before the far side is reached.
    await expect.poll(() => network.made.every(({ closed }) => closed)).toBe(true);
  });

  test("a request whose program is gone is not waited for any more", async () => {
    const network = await internetWith(deafServer());
    const { say } = await openDoor({ hosts: [`${HOST}:80`], network, limits });
    const talk = await say(pageOf(`http://${HOST}/`));
    await expect.poll(() => network.made[0]?.bytesWritten).toBeGreaterThan(0);
    talk.socket.destroy();
    await expect.poll(() => network.made[0]?.closed).toBe(true);
  });

  test("as many bytes as a run may carry go through, and the next one ends its connection", async () => {
    const network = await echoing();
    const opened = await openDoor({ hosts: [HOST], network, limits: { ...limits, bytes: 10 } });
    const talk = await tunnelThrough(opened);
    talk.socket.write("12345");
    expect(await talk.until("12345")).toContain("12345");
    talk.socket.write("6");
    expect(await talk.whole()).not.toContain("6");
    expect(opened.uses.filter(({ kind }) => kind === "refused")).toEqual([TOO_MANY_BYTES]);
    await expect.poll(() => network.made.map(({ closed }) => closed)).toEqual([true]);
  });

  test("the bytes of a page count like those of a tunnel, and its last one ends nothing", async () => {
    const page = serverOf((_request, response) => response.end("x".repeat(500)));
    const network = await internetWith(page);
    for (const [bytes, length] of [
      [500, 500],
      [499, 0],
    ]) {
      const opened = await openDoor({ hosts: [`${HOST}:80`], network, limits: { ...limits, bytes: bytes ?? 0 } });
      const answer = await (await opened.say(pageOf(`http://${HOST}/`))).whole();
      expect(/x*$/.exec(answer.trimEnd().replace(/\r\n0$/, ""))?.[0]).toHaveLength(length ?? 0);
      const target = { host: HOST, port: 80 };
      const told = { kind: "refused", target, reason: "too_many_bytes" };
      expect(opened.uses.filter(({ kind }) => kind === "refused")).toEqual(length === 0 ? [told] : []);
    }
  });

  test("a page that is longer than anybody holds comes whole to a program that reads it late", async () => {
    const bytes = 8 * 1024 * 1024;
    const network = await internetWith(serverOf((_request, response) => response.end(Buffer.alloc(bytes, "x"))));
    const opened = await openDoor({ hosts: [`${HOST}:80`], network });
    const talk = await opened.say(pageOf(`http://${HOST}/`));
    talk.socket.pause();
    // It stands still once everybody on the way is full.
    let before = -1;
    await expect
      .poll(
        () => {
          const read = network.made[0]?.bytesRead ?? 0;
          const isStill = read > 0 && read === before;
          before = read;
          return isStill;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(before).toBeLessThan(bytes);
    talk.socket.resume();
    expect((await talk.whole()).match(/x/g)?.length).toBeGreaterThanOrEqual(bytes);
  });

  test("bytes that come together with the wish for a tunnel go through it, and count like the others", async () => {
    const opened = await openDoor({ hosts: [HOST], network: await echoing(), limits: { ...limits, bytes: 20 } });
    const talk = await opened.say(`${tunnelTo(`${HOST}:443`)}12345`);
    expect(await talk.until("12345")).toContain("12345");
    talk.socket.write("67890");
    expect(await talk.until("67890")).toMatch(/\r\n\r\n1234567890$/);
    const network = await internetWith(deafServer());
    const full = await openDoor({ hosts: [HOST], network, limits: { ...limits, bytes: 10 } });
    await (await full.say(`${tunnelTo(`${HOST}:443`)}12345678901`)).whole();
    expect(full.uses).toContainEqual(TOO_MANY_BYTES);
    expect(network.made.map(({ bytesWritten }) => bytesWritten)).toEqual([0]);
  });
});

describe("a program that was refused", () => {
  test("hears of it only once the refusal is kept, whichever way it asked", async () => {
    for (const text of [tunnelTo("evil.example:443"), pageOf("http://evil.example/")]) {
      const order: string[] = [];
      // A whole conversation through the same door: whatever was said before is heard before it ends.
      const keeps = async ({ kind }: EgressUse) => {
        if (kind !== "refused") return true;
        await tunnelThrough(opened);
        return order.push("kept") > 0;
      };
      const opened: Door = await openDoor({ hosts: [HOST], network: await echoing(), keeps });
      const talk = await opened.say(text);
      expect(await talk.until("403").finally(() => order.push("heard"))).toContain("403");
      expect(order).toEqual(["kept", "heard"]);
    }
  });

  test("hears why, whichever way it asked", async () => {
    const target = { host: "evil.example", port: 443 };
    const { say } = await openDoor({ hosts: [HOST], network: await echoing() });
    for (const text of [tunnelTo("evil.example:443"), pageOf("http://evil.example:443/")]) {
      expect(await (await say(text)).whole()).toContain(egressWords(target, "host_not_granted"));
    }
    expect(await (await say(pageOf("/nowhere"))).whole()).toContain(egressWords(null, "target_unreadable"));
  });

  test("for a secret that could not be had hears it once that is kept, and the connection for it is ended", async () => {
    const network = await internetWith(deafServer());
    const order: string[] = [];
    const keeps = async ({ kind }: EgressUse) => {
      if (kind !== "refused") return true;
      await tunnelThrough(opened);
      return order.push("kept") > 0;
    };
    const credentials = [credentialThat(async () => null)];
    const opened: Door = await openDoor({ hosts: [HOST], network, limits, keeps, credentials });
    const talk = await opened.say(pageOf(`http://${HOST}/`));
    await talk.until("403").finally(() => order.push("heard"));
    expect(order).toEqual(["kept", "heard"]);
    const target = { host: HOST, port: 443 };
    expect(opened.uses).toContainEqual({ kind: "refused", target, reason: "not_recorded" });
    await expect.poll(() => network.made[0]?.closed).toBe(true);
  });

  test("and is gone before it hears of it breaks nothing", async () => {
    const asking: { talk?: Awaited<ReturnType<Door["say"]>> } = {};
    const keeps = async ({ kind }: EgressUse) => {
      if (kind !== "refused") return true;
      asking.talk?.socket.destroy();
      await tunnelThrough(opened);
      return true;
    };
    const opened: Door = await openDoor({ hosts: [HOST], network: await echoing(), keeps });
    asking.talk = await opened.say(pageOf("http://evil.example/"));
    await asking.talk.whole();
    await tunnelThrough(opened);
    expect(opened.uses).toContainEqual(expect.objectContaining({ kind: "refused", reason: "host_not_granted" }));
  });

  test.each(["no request\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\0\0\0\0"])(
    "for %j, which is no request, loses its connection without a word",
    async (text) => {
      const opened = await openDoor({ hosts: [HOST], network: await echoing() });
      expect(await (await opened.say(text)).whole()).toBe("");
      await tunnelThrough(opened);
    },
  );
});
