import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { err, ok, type Result } from "#base";
import type { JournalDoor } from "#ports";
import { CommandFailure } from "../terminal/failure.ts";
import { callInstance, notSignedIn, readAnswer, type InstanceAddress } from "./http-client.ts";

const IMPORT_SILENCE_MS = 600_000;

/** The journal behind a running instance, as the same door that stands in front of a local one. */
export function createHttpDoor(address: InstanceAddress): JournalDoor {
  const post = async <T, E>(path: string, value: unknown): Promise<Result<T, E>> =>
    resultOf(await readAnswer(await callInstance(address, { method: "POST", path, body: JSON.stringify(value) })));
  return {
    submit: (request) => post("/api/journal/command", request),
    ask: (query) => post("/api/journal/query", query),
    exportLines: async function* () {
      const response = await callInstance(address, { method: "GET", path: "/api/journal/export" });
      if (response.statusCode !== 200) return refuse(await readAnswer(response));
      yield* createInterface({ input: response, crlfDelay: Infinity });
      // A server that ends in the middle must not look like a shorter journal.
      if (!response.complete)
        throw new CommandFailure({ what: "The export ended early.", kept: "The journal is as it was." });
    },
    importLines: async (lines) => {
      const body = Readable.from(withBreaks(lines));
      const response = await callInstance(address, {
        method: "POST",
        path: "/api/journal/import",
        body,
        type: "application/x-ndjson",
        silenceMs: IMPORT_SILENCE_MS,
      });
      return resultOf(await readAnswer(response));
    },
  };
}

type Answer = { readonly status: number; readonly body: unknown };

/** Refusals travel as their codes and facts. What no code can explain, and a foreign token, end the command here. */
export function resultOf<T, E>(answer: Answer): Result<T, E> {
  if (answer.status === 200) return ok(answer.body as T);
  const error = errorOf(answer.body);
  if (error === null || error.code === "internal" || answer.status === 401) return refuse(answer);
  return err(error as E);
}

function refuse(answer: Answer): never {
  if (answer.status === 401) throw notSignedIn();
  const error = errorOf(answer.body);
  const id = (answer.body as { readonly error_id?: unknown } | null)?.error_id;
  throw new CommandFailure({
    what: error?.message ?? `The running Silas answered with status ${answer.status}.`,
    ...(typeof id === "string" ? { next: `\`silas logs --id ${id}\` shows the cause.` } : {}),
  });
}

function errorOf(body: unknown): { readonly code: string; readonly message: string } | null {
  const error = (body as { readonly error?: { readonly code?: unknown; readonly message?: unknown } } | null)?.error;
  if (typeof error?.code !== "string" || typeof error.message !== "string") return null;
  return error as { readonly code: string; readonly message: string };
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
