import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { instantFromMs } from "#base";
import type { KeptRequestBody, SuggestionBody } from "#model";
import type { Timers } from "#ports";
import { systemTimers } from "#runtime";
import { startServer, type Running } from "../e2e/server-start.ts";
import { homeDir } from "./batch-fixture.ts";
import { notesHost, type NotesHost } from "./connection-fixture.ts";
import { must } from "./journal-fixture.ts";

const BEGIN_MS = Date.UTC(2026, 10, 16, 8, 0);

/** What an address answered: its body, and the code where it was refused. */
export type Said = { readonly code: string | null; readonly body: Readonly<Record<string, unknown>> };

/** Silas as it is started, with what a page and a terminal get from it. It can be closed and opened again. */
export type House = {
  readonly service: NotesHost;
  /** A number that was not given out before, for names. */
  count(): number;
  page(path: string): Promise<Readonly<Record<string, unknown>>>;
  terminal(path: string, json?: object): Promise<Said>;
  /** The same where it must not be refused. */
  done(path: string, json?: object): Promise<Readonly<Record<string, unknown>>>;
  reopen(): Promise<void>;
  /** A while passes as on a machine that slept: what fell due in it is due now. */
  moveMs(ms: number): void;
};

export type Furnished = { readonly flags?: Readonly<Record<string, string>>; readonly gate?: string };

export async function openHouse({ flags = {}, gate }: Furnished = {}): Promise<House> {
  const dir = homeDir();
  if (gate !== undefined) {
    mkdirSync(join(dir, "config"));
    writeFileSync(join(dir, "config", "silas.yaml"), `silas:\n  gates:\n    system:\n      - ${gate}\n`);
  }
  const service = await notesHost();
  const { clock, timers, moveMs } = sleepingMachine();
  let silas: Running | null = null;
  const open = async (): Promise<void> => {
    const env = { SILAS_SUGGESTIONS__ENABLED: "true" };
    silas = await startServer({ dir, flags, env, machine: { clock, timers }, network: service.network });
  };
  const close = async (): Promise<void> => {
    const last = silas;
    silas = null;
    await last?.stop();
  };
  onTestFinished(close);
  await open();
  const running = (): Running => {
    if (silas === null) throw new Error("it is open");
    return silas;
  };
  const terminal: House["terminal"] = async (path, json) => {
    const file = readFileSync(join(dir, "data", "instance.json"), "utf8");
    const { cli_token: token } = JSON.parse(file) as { readonly cli_token: string };
    const headers = { authorization: `Bearer ${token}` };
    const answer = await running().call(path, { headers, ...(json === undefined ? {} : { json }) });
    const body = (await answer.json()) as Said["body"];
    return { code: answer.ok ? null : codeOf(body), body };
  };
  let counted = 0;
  return {
    service,
    count: () => (counted += 1),
    page: async (path) => (await (await running().call(path)).json()) as Said["body"],
    terminal,
    done: async (path, json) => {
      const { code, body } = await terminal(path, json);
      if (code !== null) throw new Error(`${path}: ${JSON.stringify(body)}`);
      return body;
    },
    reopen: async () => {
      await close();
      await open();
    },
    moveMs,
  };
}

const codeOf = (body: Said["body"]): string =>
  String((body["error"] as { code?: unknown } | undefined)?.code ?? body["code"]);

/** Time goes on by itself, too slowly for anything to end on a busy machine, and now and then a piece of it is left out. */
function sleepingMachine() {
  const begunMs = performance.now();
  let sleptMs = 0;
  const nowMs = (): number => BEGIN_MS + sleptMs + Math.floor((performance.now() - begunMs) / 4);
  const waiting = new Set<{ readonly dueMs: number; readonly fire: () => void }>();
  const timers: Timers = {
    after(delayMs, work) {
      const end = (): void => {
        waiting.delete(one);
        cancel();
      };
      const one = { dueMs: nowMs() + delayMs, fire: () => (end(), work()) };
      const cancel = systemTimers.after(delayMs, one.fire);
      waiting.add(one);
      return end;
    },
  };
  return {
    clock: { now: () => must(instantFromMs(nowMs())) },
    timers,
    moveMs(ms: number): void {
      sleptMs += ms;
      const due = [...waiting].filter(({ dueMs }) => dueMs <= nowMs());
      for (const one of due) one.fire();
    },
  };
}

/** The first answer that is there. Seldom enough for the limit of requests in a minute, however long it takes. */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined;
  await expect.poll(async () => (found = await look()) !== undefined, { interval: 400 }).toBe(true);
  return found as T;
}

const FRICTION = ["tap", "confirm", "slide"] as const;

export async function requestOf(house: House, id: string): Promise<KeptRequestBody> {
  return (await house.done("/api/approvals/show", { request_id: id })) as unknown as KeptRequestBody;
}

export async function decide(house: House, id: string, said: object): Promise<Said> {
  const { plan_hash: shown_hash } = await requestOf(house, id);
  return house.terminal("/api/approvals/decide", { request_id: id, shown_hash, friction: FRICTION, ...said });
}

export async function approved(house: House, id: string): Promise<void> {
  expect(await decide(house, id, { verdict: "approved" })).toMatchObject({ code: null });
}

const idIn = (body: Said["body"]): string => (body["request"] as { readonly request_id: string }).request_id;

export async function proposed(house: House, markdown: string): Promise<string> {
  return idIn(await house.done("/api/approvals/propose", { markdown }));
}

/** What a run asks once its plan is approved: the one request of this kind that waits. */
export async function askedBy(house: House, plan: string, kind: string): Promise<string> {
  await approved(house, await proposed(house, plan));
  return eventually(async () => (await inbox(house)).find(({ card }) => card.card_type === kind)?.request_id);
}

export async function inbox(house: House): Promise<readonly KeptRequestBody[]> {
  return (await house.done("/api/approvals/inbox"))["requests"] as readonly KeptRequestBody[];
}

export async function suggestionsIn(house: House, list: "suggestions" | "missed"): Promise<readonly SuggestionBody[]> {
  return (await house.page("/api/suggestions"))[list] as readonly SuggestionBody[];
}
