import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createPage, type Page } from "./page.fixture.ts";

let page: Page;
let wire: typeof import("./socket.ts");
let connection: typeof import("./connection.ts");

beforeAll(async () => {
  // The page looks at its browser while it is read.
  createPage();
  [wire, connection] = await Promise.all([import("./socket.ts"), import("./connection.ts")]);
});
beforeEach(() => {
  page = createPage();
  connection.useConnection.setState({ state: "connecting", nextTryAtMs: null });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => void vi.unstubAllGlobals());

const state = () => connection.useConnection.getState();
const answered = () => vi.advanceTimersByTimeAsync(0);

function openSocket() {
  const told: string[] = [];
  const socket = wire.openSocket({
    onReady: () => told.push("ready"),
    onChange: ({ localBatchId }) => told.push(localBatchId),
    onReview: () => told.push("review"),
    onRun: (runId) => told.push(runId),
    onTurn: ({ kind, messageId }) => told.push(`${kind} ${messageId}`),
  });
  onTestFinished(socket.close);
  return { socket, told };
}

function signIn(): void {
  page.newest().open();
  page.newest().say({ type: "auth_ok", session_id: "s", version: "1" });
}

/** How long the page waits until it tries again; the try that it makes then is left open. */
function waitUntilNext(): number {
  const before = page.sockets.length;
  const startedAtMs = Date.now();
  const saidMs = (state().nextTryAtMs ?? Number.NaN) - startedAtMs;
  while (page.sockets.length === before && Date.now() - startedAtMs < 100_000) vi.advanceTimersByTime(1);
  expect(saidMs).toBe(Date.now() - startedAtMs);
  return saidMs;
}

describe("a socket that ends", () => {
  test("is tried again after 0.5 s, twice as long each time up to 30 s, and as at first once it was signed in", () => {
    openSocket();
    const waits = Array.from({ length: 8 }, () => {
      page.newest().end();
      expect(state().state).toBe("offline");
      return waitUntilNext();
    });
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    signIn();
    expect(state()).toEqual({ state: "online", nextTryAtMs: null });
    page.newest().end();
    expect(waitUntilNext()).toBe(500);
  });

  test("is tried again at once when the owner asks or the network is back, and then as at first", () => {
    const { socket } = openSocket();
    for (const back of [() => socket.retryNow(), () => page.network("online")]) {
      page.newest().end();
      waitUntilNext();
      page.newest().end();
      const before = page.sockets.length;
      back();
      back();
      expect(page.sockets).toHaveLength(before + 1);
      vi.advanceTimersByTime(1000);
      expect(page.sockets).toHaveLength(before + 1);
      page.newest().end();
      expect(waitUntilNext()).toBe(500);
    }
  });

  test("is given up when the network goes or a request does not get through, and its end is not counted twice", () => {
    openSocket();
    for (const gone of [() => page.network("offline"), () => connection.markOffline()]) {
      signIn();
      const given = page.newest();
      gone();
      gone();
      expect(given.isClosed()).toBe(true);
      expect(state().state).toBe("offline");
      given.end();
      expect(waitUntilNext()).toBe(500);
      vi.advanceTimersByTime(60_000);
      expect(page.sockets.at(-2)).toBe(given);
    }
  });
});

describe("a socket that was not signed in", () => {
  test("is tried again where the session still holds", async () => {
    page.answer("/api/status", () => Response.json({}));
    openSocket();
    page.newest().end(4001);
    await answered();
    expect(page.asked).toEqual(["/api/status"]);
    expect(waitUntilNext()).toBe(500);
  });

  test("is not tried again where the session is over", async () => {
    page.answer("/api/status", () => Response.json({ error: { code: "unauthorized" } }, { status: 401 }));
    openSocket();
    page.newest().end(4001);
    await answered();
    expect(state()).toEqual({ state: "connecting", nextTryAtMs: null });
    vi.advanceTimersByTime(100_000);
    expect(page.sockets).toHaveLength(1);
  });

  test("is tried once where the owner asked while the session was looked at", async () => {
    page.answer("/api/status", () => Response.json({}));
    const { socket } = openSocket();
    page.newest().end(4001);
    socket.retryNow();
    await answered();
    vi.advanceTimersByTime(100_000);
    expect(page.sockets).toHaveLength(2);
  });

  test("is not opened at all without a token", () => {
    page.signOut();
    openSocket();
    expect(page.sockets).toEqual([]);
  });
});

test("what was closed opens nothing again, whatever happens", async () => {
  page.answer("/api/status", () => Response.json({}));
  const ended = (code: number) => (): boolean => (page.newest().end(code), false);
  for (const end of [ended(1006), ended(4001), () => true]) {
    const { socket } = openSocket();
    const before = page.sockets.length;
    const isLeft = end();
    socket.close();
    expect(page.newest().isClosed()).toBe(isLeft);
    page.newest().end();
    page.network("online");
    page.network("offline");
    connection.markOnline();
    connection.markOffline();
    socket.retryNow();
    await answered();
    vi.advanceTimersByTime(100_000);
    expect(page.sockets).toHaveLength(before);
  }
});

test("each frame is told to whom it concerns, and no other", () => {
  const { told } = openSocket();
  expect(page.newest().address).toBe("ws://localhost:8420/ws");
  page.newest().open();
  expect(page.newest().sent).toEqual([{ type: "auth", token: "token" }]);
  for (const frame of [
    { type: "change_batch", batch: { localBatchId: "batch" } },
    { type: "review_changed", pending_count: 2 },
    { type: "run_news", run_id: "run" },
    { type: "turn_delta", message_id: "m", offset: 0, text: "x" },
    { type: "turn_delta", message_id: "m", offset: -1, text: "x" },
    { type: "turn_ended", message_id: "m" },
    { type: "pong" },
    { type: "auth_ok" },
  ]) {
    expect(state().state).toBe("connecting");
    page.newest().say(JSON.stringify(frame));
  }
  expect(told).toEqual(["batch", "review", "run", "delta m", "ended m", "ready"]);
  expect(state().state).toBe("online");
});
