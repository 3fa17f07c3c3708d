import { turnNewsFromWire, type ClientFrame, type NotificationBatch, type ServerFrame, type TurnNews } from "#model";
import { sessionToken } from "../session/session.ts";
import { markOnline, useConnection } from "./connection.ts";
import { readStatus } from "./http.ts";

/** A socket that comes back by itself: 0.5 s at first, doubled up to 30 s, and at once when the owner asks. */
export type LiveSocket = { retryNow(): void; close(): void };
type SocketEvents = {
  readonly onReady: () => void;
  readonly onChange: (batch: NotificationBatch) => void;
  /** Something about decisions, keys or inputs is not as it was. */
  readonly onReview: () => void;
  /** A run is not where it was. */
  readonly onRun: (runId: string) => void;
  /** A reply goes on, is held or has ended. */
  readonly onTurn: (news: TurnNews) => void;
};

const DELAY_FIRST_MS = 500;
const DELAY_MAX_MS = 30_000;
const CLOSE_UNAUTHORISED = 4001;
const ADDRESS = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;

export function openSocket(events: SocketEvents): LiveSocket {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delayMs = DELAY_FIRST_MS;
  let closed = false;

  const connect = (): void => {
    clearTimeout(timer);
    const token = sessionToken();
    if (closed || token === null) return;
    const mine = new WebSocket(ADDRESS);
    socket = mine;
    mine.addEventListener("open", () => sendFrame(mine, { type: "auth", token }));
    mine.addEventListener("message", ({ data }) => {
      const frame = parseFrame(data);
      if (frame?.type === "auth_ok") delayMs = DELAY_FIRST_MS;
      tell(frame, events);
    });
    mine.addEventListener("close", (event) => {
      if (socket !== mine || closed) return;
      socket = null;
      if (event.code !== CLOSE_UNAUTHORISED) return later();
      void isStillSignedIn().then((isIt) => isIt && socket === null && !closed && later());
    });
  };

  const later = (): void => {
    const waitMs = delayMs * (0.75 + Math.random() / 2);
    delayMs = Math.min(delayMs * 2, DELAY_MAX_MS);
    useConnection.setState({ state: "offline", nextTryAtMs: Date.now() + waitMs });
    timer = setTimeout(connect, waitMs);
  };

  const retryNow = (): void => {
    if (socket !== null) return;
    delayMs = DELAY_FIRST_MS;
    connect();
  };
  const leave = (): void => {
    // The browser may keep a dead socket open for minutes after the network went away.
    if (socket === null) return;
    socket.close();
    socket = null;
    later();
  };
  const unwatch = watchNetwork({ onGone: leave, onBack: retryNow });
  connect();

  return {
    retryNow,
    close: () => {
      closed = true;
      clearTimeout(timer);
      unwatch();
      socket?.close();
    },
  };
}

/**
 * A page that a busy machine kept from saying in time who it is is closed with the same code as one that nobody knows:
 * only an answer tells which it was, and a refused request forgets the session.
 */
async function isStillSignedIn(): Promise<boolean> {
  await readStatus();
  return sessionToken() !== null;
}

type Network = { readonly onGone: () => void; readonly onBack: () => void };

/** The network is gone when the browser says so, and also when a request did not get through. */
function watchNetwork({ onGone, onBack }: Network): () => void {
  window.addEventListener("online", onBack);
  window.addEventListener("offline", onGone);
  const unsubscribe = useConnection.subscribe((now, before) => {
    if (now.state === "offline" && before.state !== "offline") onGone();
  });
  return () => {
    unsubscribe();
    window.removeEventListener("online", onBack);
    window.removeEventListener("offline", onGone);
  };
}

function tell(frame: ServerFrame | null, events: SocketEvents): void {
  if (frame?.type === "change_batch") events.onChange(frame.batch);
  if (frame?.type === "review_changed") events.onReview();
  if (frame?.type === "run_news") events.onRun(frame.run_id);
  const news = turnNewsFromWire(frame);
  if (news !== null) events.onTurn(news);
  if (frame?.type !== "auth_ok") return;
  markOnline();
  events.onReady();
}

const sendFrame = (socket: WebSocket, frame: ClientFrame): void => socket.send(JSON.stringify(frame));

function parseFrame(data: unknown): ServerFrame | null {
  try {
    return JSON.parse(String(data)) as ServerFrame;
  } catch {
    return null;
  }
}
