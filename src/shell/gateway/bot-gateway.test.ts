import { createServer } from "node:tls";
import { connect, Socket, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { LIMITS } from "#base";
import { secretText, type EgressUse } from "#model";
import type { BotCall } from "#ports";
import { createBotGateway } from "./bot-gateway.ts";
import { internetOf, IMPOSTOR_CERT, IMPOSTOR_KEY, serverOf } from "./gateway.fixture.ts";
import { systemNetwork, type Network } from "./network.ts";

const TOKEN = "123456:canary-of-a-token";
const CALL: BotCall = { method: "getMe", body: { a: 1 }, timeoutMs: 1_000 };
const timers = { after: () => () => undefined };

type Scene = {
  readonly apiRoot?: string;
  readonly addresses?: readonly string[];
  readonly keeps?: (use: EgressUse) => boolean;
  readonly network?: (given: Network) => Network;
};

/** A Bot API at a name of a made-up internet, and a door to it. */
async function openBot({ apiRoot = "https://api.telegram.org", addresses, keeps = () => true, ...given }: Scene = {}) {
  const asked: { readonly url: string; readonly host: string; readonly text: string }[] = [];
  const port = await serverOf((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part) => (text += part));
    request.on("end", () => {
      asked.push({ url: `${request.method} ${request.url}`, host: request.headers.host ?? "", text });
      response.end('{"ok":true}');
    });
  });
  const internet = internetOf({ [new URL(apiRoot).hostname]: addresses ?? ["149.154.167.220"] }, port);
  const network = given.network?.(internet) ?? internet;
  const uses: EgressUse[] = [];
  const config = { channels: { telegram: { token: secretText(TOKEN), apiRoot } } };
  const door = createBotGateway({ config, timers, network }).open(async (use) => (uses.push(use), keeps(use)));
  return { door, uses, asked, internet };
}

describe("the way to the Bot API", () => {
  test("is closed without a token, and says so", async () => {
    const config = { channels: { telegram: { token: null, apiRoot: "https://api.telegram.org" } } };
    const bot = createBotGateway({ config, timers });
    expect([bot.hasToken, await bot.open(async () => expect.unreachable()).call(CALL)]).toEqual([false, null]);
  });

  test("adds the token for the configured host alone, over a connection to an address that was looked up for it", async () => {
    const { door, asked, internet } = await openBot();
    expect(await door.call(CALL)).toEqual({ status: 200, text: '{"ok":true}' });
    expect(asked).toEqual([{ url: `POST /bot${TOKEN}/getMe`, host: "api.telegram.org", text: '{"a":1}' }]);
    expect(internet.asked).toEqual(["api.telegram.org"]);
    expect(internet.dialled).toEqual(["149.154.167.220:443"]);
  });

  test("keeps the path and the port of an own server", async () => {
    const { door, asked, internet } = await openBot({ apiRoot: "https://bots.example.org:8443/telegram" });
    expect(await door.call(CALL)).not.toBeNull();
    expect(asked).toMatchObject([{ url: `POST /telegram/bot${TOKEN}/getMe`, host: "bots.example.org:8443" }]);
    expect(internet.dialled).toEqual(["149.154.167.220:8443"]);
  });

  test.each([["10.0.0.7"], ["127.0.0.1"], ["149.154.167.220", "192.168.1.7"]])(
    "does not follow Telegram's own name to %s",
    async (...addresses) => {
      const { door, uses, internet } = await openBot({ addresses });
      expect(await door.call(CALL)).toBeNull();
      expect(await door.call(CALL)).toBeNull();
      expect(internet.dialled).toEqual([]);
      const target = { host: "api.telegram.org", port: 443 };
      expect(uses).toEqual([
        { kind: "opened", ...target },
        { kind: "refused", target, reason: "address_refused" },
      ]);
    },
  );

  test("follows a name that the owner configured into a private network, encrypted", async () => {
    const secured: string[] = [];
    const network = (given: Network): Network => ({
      ...given,
      secure: (socket, host) => (secured.push(host), given.secure(socket, host)),
    });
    const { door, internet } = await openBot({ apiRoot: "https://bot.home.lan", addresses: ["192.168.1.7"], network });
    expect(await door.call(CALL)).not.toBeNull();
    expect([internet.dialled, secured]).toEqual([["192.168.1.7:443"], ["bot.home.lan"]]);
  });

  test("goes to this machine by its number, whatever a resolver says about its name", async () => {
    const { door, internet } = await openBot({ apiRoot: "http://localhost:8081", addresses: ["192.168.1.7"] });
    expect(await door.call(CALL)).not.toBeNull();
    expect([internet.asked, internet.dialled]).toEqual([[], ["127.0.0.1:8081"]]);
  });

  test("sends nothing to a server that does not prove to be the host, and records that", async () => {
    let heard = "";
    const server = createServer({ key: IMPOSTOR_KEY, cert: IMPOSTOR_CERT }, (socket) => {
      socket.on("error", () => {}).on("data", (part: Buffer) => (heard += part.toString("latin1")));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const network = (given: Network): Network => ({
      ...given,
      dial: () => connect({ host: "127.0.0.1", port }),
      secure: systemNetwork.secure,
    });
    for (const apiRoot of ["https://api.telegram.org", "https://10.0.0.7"]) {
      const { door, uses } = await openBot({ apiRoot, network });
      expect(await door.call(CALL)).toBeNull();
      await door.close();
      expect(uses.slice(1)).toMatchObject([{ kind: "refused", reason: "credential_withheld" }]);
    }
    expect(heard).toBe("");
  });

  test("sends nothing over a connection whose other side is not proven", async () => {
    const network = (given: Network): Network => ({
      ...given,
      secure: (socket) => ({ socket, proven: Promise.resolve(false) }),
    });
    const { door, asked } = await openBot({ network });
    expect(await door.call(CALL)).toBeNull();
    expect(asked).toEqual([]);
  });

  test("records the host before anything leaves, and the sums at the end, without the token", async () => {
    const { door, uses, asked } = await openBot({ keeps: () => (expect(asked.length).toBeOneOf([0, 2]), true) });
    await Promise.all([door.call(CALL), door.call(CALL)]);
    await door.close();
    await door.close();
    const host = { host: "api.telegram.org", port: 443 };
    const sums = { requests: 2, bytesSent: expect.any(Number) as number, bytesReceived: expect.any(Number) as number };
    expect(uses).toEqual([
      { kind: "opened", ...host },
      { kind: "ended", ...host, ...sums },
    ]);
    const [, ended] = uses;
    expect(ended?.kind === "ended" && Math.min(ended.bytesSent, ended.bytesReceived)).toBeGreaterThan(50);
    expect(JSON.stringify(uses)).not.toContain("canary");
  });

  test("sends nothing while that cannot be recorded, and tries to record it again with the next call", async () => {
    let isKept = false;
    const { door, asked, internet } = await openBot({ keeps: () => isKept });
    expect(await door.call(CALL)).toBeNull();
    expect([internet.asked, asked]).toEqual([[], []]);
    isKept = true;
    expect(await door.call(CALL)).not.toBeNull();
  });

  test("sends a call as long as the limit, and none that is longer", async () => {
    const { door, asked } = await openBot();
    const text = "x".repeat(LIMITS.telegramCallBytes - '{"text":""}'.length);
    expect(await door.call({ ...CALL, body: { text } })).not.toBeNull();
    expect(await door.call({ ...CALL, body: { text: `${text}x` } })).toBeNull();
    expect(asked).toHaveLength(1);
  });

  test("stops waiting for a name or a connection when its caller does, and records no refusal", async () => {
    for (const moment of ["before", "resolve", "dial"]) {
      const stop = new AbortController();
      const soon = (at: string): void => (at === moment ? queueMicrotask(() => stop.abort()) : undefined);
      const network = (given: Network): Network => ({
        ...given,
        resolve: (name) => (soon("resolve"), moment === "resolve" ? new Promise(() => {}) : given.resolve(name)),
        dial: () => (soon("dial"), new Socket()),
      });
      const { door, uses } = await openBot({ network });
      const calling = door.call({ ...CALL, signal: stop.signal });
      soon("before");
      expect(await calling).toBeNull();
      expect(uses).toEqual([{ kind: "opened", host: "api.telegram.org", port: 443 }]);
    }
  });

  test.each(["https://api.telegram.org:99999", "https://1.2.3.999"])(
    "is closed where %s is no address",
    async (root) => {
      const config = { channels: { telegram: { token: secretText(TOKEN), apiRoot: root } } };
      const door = createBotGateway({ config, timers }).open(async () => expect.unreachable());
      expect(await door.call(CALL)).toBeNull();
      await door.close();
    },
  );
});
