import { createInterface } from "node:readline";
import { assert, ok, type Result } from "#base";
import { memoryItemSchema, type MemoryItem } from "#model";
import type { MemoryDoor } from "#ports";
import { proposedOf, type ProposedBody } from "../approvals/http-approvals.ts";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";
import { CommandFailure } from "../terminal/failure.ts";

/** The memories of a running instance: the same door as the local one. */
export function createHttpMemory(address: InstanceAddress): MemoryDoor {
  const call = async <T>(made: HttpCall): Promise<Result<T, never>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const post = <T>(path: string, value: object): Promise<Result<T, never>> =>
    call({ method: "POST", path, body: JSON.stringify(value) });
  const many = async (path: string): Promise<Result<readonly MemoryItem[], never>> => {
    const listed = await call<{ readonly memories: readonly unknown[] }>({ method: "GET", path });
    return listed.ok ? ok(listed.value.memories.map(memoryOf)) : listed;
  };
  return {
    remember: async (wanted) => one(await post("/api/memory", wanted)),
    list: ({ before, limit }) =>
      many(`/api/memory?limit=${limit}${before === null ? "" : `&before=${encodeURIComponent(before)}`}`),
    search: ({ text, limit }) => many(`/api/memory/search?limit=${limit}&q=${encodeURIComponent(text)}`),
    show: async (memoryId) => one(await call({ method: "GET", path: pathOf(memoryId) })),
    change: async (memoryId, { from, content }) => one(await post(`${pathOf(memoryId)}/change`, { from, content })),
    forget: async (memoryId) => {
      const forgotten = await post<object>(`${pathOf(memoryId)}/forget`, {});
      return forgotten.ok ? ok() : forgotten;
    },
    promote: async (memoryId) => {
      const asked = await post<ProposedBody>(`${pathOf(memoryId)}/promote`, {});
      return asked.ok ? ok(proposedOf(asked.value)) : asked;
    },
    exportLines: async function* () {
      const response = await callInstance(address, { method: "GET", path: "/api/memory/export" });
      if (response.statusCode !== 200) return void resultOf(await readAnswer(response));
      yield* createInterface({ input: response, crlfDelay: Infinity });
      // A server that ends in the middle must not look like fewer memories.
      if (!response.complete)
        throw new CommandFailure({ what: "The export ended early.", kept: "The memories are as they were." });
    },
  };
}

const pathOf = (memoryId: string): string => `/api/memory/${encodeURIComponent(memoryId)}`;

const one = (answered: Result<{ readonly memory: unknown }, never>): Result<MemoryItem, never> =>
  answered.ok ? ok(memoryOf(answered.value.memory)) : answered;

function memoryOf(body: unknown): MemoryItem {
  const parsed = memoryItemSchema.safeParse(body);
  assert(parsed.success, "the running Silas answers with memories that are whole");
  return parsed.data;
}
