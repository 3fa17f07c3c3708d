import { getEventListeners } from "node:events";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { modelSetting } from "#model";
import { rawServer, serverOf } from "../gateway.fixture.ts";
import type { Network } from "../network.ts";
import { postTo, type Posting } from "./pinned-post.ts";

/** A machine whose every address is one server, and what was dialled on it. */
async function machineWith(server: Promise<number>) {
  const port = await server;
  const made: Socket[] = [];
  const dialled: string[] = [];
  const network: Network = {
    resolve: () => Promise.reject(new Error("no name is looked up")),
    dial: ({ address }) => {
      const socket = connect({ host: "127.0.0.1", port });
      made.push(socket);
      dialled.push(address);
      return socket;
    },
    secure: () => expect.unreachable(),
    ownAddresses: () => [],
  };
  return { network, made, dialled };
}

const timers = { after: () => () => undefined };

function postingOf(network: Network, given: Partial<Posting> & { readonly host?: string } = {}): Posting {
  const { host = "localhost", ...rest } = given;
  const setting = modelSetting({
    models: { planner: "compatible:m" },
    providers: { openrouter: { apiKey: null }, compatible: { baseUrl: `http://${host}:9/v1`, apiKeyRef: null } },
  });
  if (setting.kind === "absent") throw new Error(setting.reason);
  const { signal } = new AbortController();
  return {
    place: setting.place,
    network,
    timers,
    timeoutMs: 1000,
    key: null,
    signal,
    onLeave: async () => true,
    onPart: () => undefined,
    onRefused: () => undefined,
    ...rest,
  };
}

const saying =
  (status: number, body: string | Buffer = ""): RequestListener =>
  (request, response) => {
    request.resume().once("end", () => response.writeHead(status).end(body));
  };
const refused = (code: string) => ({ ok: false, error: { code } });

describe("one question to a model", () => {
  test("may be as long as the limit, and one byte more is not even recorded", async () => {
    const heard: number[] = [];
    const { network, dialled } = await machineWith(
      serverOf((request, response) => {
        heard.push(Number(request.headers["content-length"]));
        request.resume().once("end", () => response.end("{}"));
      }),
    );
    const left: number[] = [];
    const posting = postingOf(network, { onLeave: async ({ bytes }) => left.push(bytes) > 0 });
    const longest = "é".repeat(LIMITS.modelQuestionBytes / 2);
    expect(await postTo(posting, longest)).toMatchObject({ ok: true });
    expect(await postTo(posting, `${longest}x`)).toEqual(refused("model_question_too_large"));
    expect([left, heard]).toEqual([[LIMITS.modelQuestionBytes], [LIMITS.modelQuestionBytes]]);
    expect(dialled).toHaveLength(1);
  });

  test("takes in an answer as long as the limit, and none that is longer", async () => {
    const longest = Buffer.alloc(LIMITS.modelAnswerBytes, "x");
    const { network } = await machineWith(serverOf(saying(200, longest)));
    const parts: Uint8Array[] = [];
    const answer = await postTo(postingOf(network, { onPart: (part) => void parts.push(part) }), "{}");
    expect(answer).toEqual({ ok: true, value: { bytesReceived: longest.length } });
    expect(Buffer.concat(parts).equals(longest)).toBe(true);
    const longer = await machineWith(serverOf(saying(200, Buffer.concat([longest, Buffer.from("x")]))));
    expect(await postTo(postingOf(longer.network), "{}")).toEqual(refused("model_answer_too_large"));
  });

  test.each([
    [201, "model_failed"],
    [204, "model_failed"],
    [299, "model_failed"],
    [300, "model_redirects"],
    [307, "model_redirects"],
    [399, "model_redirects"],
    [400, "model_refused"],
    [401, "model_key_refused"],
    [403, "model_key_refused"],
    [404, "model_refused"],
    [413, "model_question_too_large"],
    [429, "model_busy"],
    [499, "model_refused"],
    [500, "model_failed"],
    [503, "model_failed"],
  ])("that is answered with %i is %s, and its connection is let go", async (status, code) => {
    const { network, made } = await machineWith(serverOf(saying(status, "{}")));
    const posting = postingOf(network);
    expect(await postTo(posting, "{}")).toEqual(refused(code));
    expect(made.map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(getEventListeners(posting.signal, "abort")).toEqual([]);
  });

  test("whose answer stops in the middle has none", async () => {
    const { network, made } = await machineWith(rawServer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
    expect(await postTo(postingOf(network), "{}")).toEqual(refused("model_unreachable"));
    expect(made.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  test.each([
    ["localhost", "127.0.0.1"],
    ["127.0.0.2", "127.0.0.2"],
    ["[::1]", "::1"],
  ])("for %s goes to %s, by its number", async (host, address) => {
    const { network, dialled } = await machineWith(serverOf(saying(200, "{}")));
    expect(await postTo(postingOf(network, { host }), "{}")).toMatchObject({ ok: true });
    expect(dialled).toEqual([address]);
  });
});

describe("a question that is interrupted", () => {
  test("while it is recorded is not sent, and no connection is made for it", async () => {
    const { network, dialled } = await machineWith(serverOf(() => expect.unreachable()));
    const stop = new AbortController();
    const onLeave = async () => (stop.abort(), true);
    expect(await postTo(postingOf(network, { signal: stop.signal, onLeave }), "{}")).toEqual(
      refused("model_interrupted"),
    );
    expect(dialled).toEqual([]);
  });

  test("while its connection is made is not sent, and while it is answered is given up", async () => {
    const heard: string[] = [];
    const stops: AbortController[] = [];
    const { network, made } = await machineWith(
      serverOf((request) => {
        heard.push(request.url ?? "");
        stops.at(-1)?.abort();
      }),
    );
    for (const moment of ["connecting", "answering"]) {
      const stop = new AbortController();
      stops.push(stop);
      const dial: Network["dial"] = (to) => (moment === "connecting" ? stop.abort() : null, network.dial(to));
      const posting = postingOf({ ...network, dial }, { signal: stop.signal });
      expect(await postTo(posting, "{}")).toEqual(refused("model_interrupted"));
      expect(heard).toEqual(moment === "connecting" ? [] : ["/v1/chat/completions"]);
      expect(made.at(-1)?.destroyed).toBe(true);
      expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    }
  });
});
