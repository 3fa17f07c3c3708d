import type { input } from "zod/mini";
import { uuidV7 } from "#base";
import type { Environment } from "#config";
import {
  journalQuerySchema,
  journalRequestSchema,
  type JournalAnswers,
  type journalCommandSchema,
  type JournalOutcome,
  type JournalQuery,
} from "#model";
import type { JournalDoor } from "#ports";
import { openDoor } from "./door.ts";
import { EXIT } from "../terminal/failure.ts";
import type { HereAndNow } from "../terminal/local-time.ts";
import { journalFailure } from "./words.ts";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { randomBytes } = process.getBuiltinModule("node:crypto");

export type CommandInput = input<typeof journalCommandSchema>;
type QueryInput = input<typeof journalQuerySchema>;

/** The journal as verbs see it: typed text goes in and is parsed here, a refusal ends the command in plain words. */
export type JournalClient = {
  submit(command: CommandInput, mode?: "apply" | "preview"): Promise<JournalOutcome>;
  ask<Q extends QueryInput>(query: Q): Promise<JournalAnswers[Q["kind"]]>;
  readonly door: JournalDoor;
  readonly here: HereAndNow;
};

export async function withJournal<T>(
  from: { readonly environment: Environment; readonly version: string; readonly here: HereAndNow },
  work: (client: JournalClient) => Promise<T>,
): Promise<T> {
  const opened = await openDoor(from);
  try {
    return await work(createJournalClient(opened.door, from.here));
  } finally {
    await opened.close();
  }
}

function createJournalClient(door: JournalDoor, here: HereAndNow): JournalClient {
  return {
    door,
    here,
    submit: async (command, mode = "apply") => {
      const request = journalRequestSchema.safeParse({ operationId: uuidV7(here.now, randomBytes(10)), command, mode });
      if (!request.success) throw invalid(request.error.issues);
      const outcome = await door.submit(request.data);
      if (!outcome.ok) throw journalFailure(outcome.error);
      return outcome.value;
    },
    ask: async <Q extends QueryInput>(query: Q) => {
      const parsed = journalQuerySchema.safeParse(query);
      if (!parsed.success) throw invalid(parsed.error.issues);
      const answer = await door.ask<JournalQuery>(parsed.data);
      if (!answer.ok) throw journalFailure(answer.error);
      // The answer of a query is named by its kind, and parsing keeps the kind.
      return answer.value as JournalAnswers[Q["kind"]];
    },
  };
}

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string };

function invalid(issues: readonly Issue[]): Error {
  const [first] = issues;
  const path = (first?.path ?? []).filter((part) => part !== "command" && part !== "set").join(".");
  return journalFailure({ code: "invalid_input", path, reason: first?.message ?? "invalid" }, EXIT.usage);
}
