/** A page without a browser: its storage, its sockets and its server are what a test says, and its time stands still. */
import { vi } from "vitest";
import type { ServerFrame } from "#model";

/** The sockets that the page opened, the newest last. */
type PageSocket = {
  readonly address: string;
  readonly sent: readonly unknown[];
  isClosed(): boolean;
  /** The server's side of it. */
  open(): void;
  say(frame: ServerFrame | string): void;
  end(code?: number): void;
};

export type Page = {
  readonly sockets: readonly PageSocket[];
  /** `GET /api/status` and the like, in the order they were asked for. */
  readonly asked: string[];
  newest(): PageSocket;
  /** The network as the browser sees it. */
  network(state: "online" | "offline"): void;
  answer(path: string, respond: () => Response): void;
  signOut(): void;
};

export function createPage(): Page {
  const sockets: PageSocket[] = [];
  const asked: string[] = [];
  const answers = new Map<string, () => Response>();
  const stored = new Map([["silas.token", "token"]]);
  const window = new EventTarget();

  class ScriptedSocket extends EventTarget implements PageSocket {
    readonly sent: unknown[] = [];
    #isClosed = false;
    readonly address: string;
    constructor(address: string) {
      super();
      this.address = address;
      sockets.push(this);
    }
    isClosed = (): boolean => this.#isClosed;
    send = (text: string): void => void this.sent.push(JSON.parse(text));
    close = (): void => void (this.#isClosed = true);
    open = (): void => void this.dispatchEvent(new Event("open"));
    say = (frame: ServerFrame | string): void => {
      const data = typeof frame === "string" ? frame : JSON.stringify(frame);
      this.dispatchEvent(new MessageEvent("message", { data }));
    };
    end = (code = 1006): void => void this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }

  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
  });
  vi.stubGlobal("location", { protocol: "http:", host: "localhost:8420" });
  vi.stubGlobal("window", window);
  vi.stubGlobal("WebSocket", ScriptedSocket);
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    const respond = answers.get(path) ?? (() => Response.json({ error: { code: "store_busy" } }, { status: 503 }));
    return respond();
  });
  return {
    sockets,
    asked,
    newest: () => {
      const socket = sockets.at(-1);
      if (socket === undefined) throw new Error("the page opened no socket");
      return socket;
    },
    network: (state) => void window.dispatchEvent(new Event(state)),
    answer: (path, respond) => void answers.set(path, respond),
    signOut: () => void stored.delete("silas.token"),
  };
}
