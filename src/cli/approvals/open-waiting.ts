import {
  countWaiting,
  isConnectionWaiting,
  type ConnectionView,
  type Doubt,
  type GoalSummary,
  type KeptRequest,
  type SecureInputRequest,
  type Suggestion,
} from "#model";
import type { ConnectionsDoor, WorkDoor } from "#ports";
import { reachSilas } from "../client/door.ts";
import { createHttpConnections } from "../connections/http-connections.ts";
import { askOnce } from "../keys/open-keys.ts";
import { createHttpSecrets, type Secrets } from "../secrets/http-secrets.ts";
import type { Call } from "../terminal/context.ts";
import { createHttpWork } from "../work/http-work.ts";
import { createHttpApprovals, type Approvals } from "./http-approvals.ts";
import { orFail } from "./open-approvals.ts";

/** Everything that waits for the owner, as Review has a card for it. */
export type Waiting = {
  readonly requests: readonly KeptRequest[];
  readonly doubts: readonly Doubt[];
  readonly missedChecks: readonly GoalSummary[];
  readonly inputs: readonly SecureInputRequest[];
  readonly connections: readonly ConnectionView[];
  readonly count: number;
  /** Nothing is held up by these, so they are not counted. */
  readonly suggestions: readonly Suggestion[];
};

type Doors = {
  readonly approvals: Pick<Approvals, "inbox">;
  readonly work: Pick<WorkDoor, "doubts" | "goals" | "suggestions">;
  readonly secrets: Pick<Secrets, "list">;
  readonly connections: Pick<ConnectionsDoor, "list">;
};

/** Through the running instance, or in this process when none runs. */
export async function loadWaiting({
  environment,
  terminal,
}: Pick<Call<object>, "environment" | "terminal">): Promise<Waiting> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") {
    const { address } = silas;
    const approvals = createHttpApprovals(address);
    const connections = createHttpConnections(address);
    return waitingAt({ approvals, connections, work: createHttpWork(address), secrets: createHttpSecrets(address) });
  }
  try {
    return await waitingAt(silas.app);
  } finally {
    await silas.app.close();
  }
}

async function waitingAt({ approvals, work, secrets, connections }: Doors): Promise<Waiting> {
  const lists = {
    requests: orFail(await approvals.inbox()),
    doubts: orFail(await work.doubts.list()),
    missedChecks: orFail(await work.goals.list()).filter(({ missedChecks }) => missedChecks > 0),
    inputs: orFail(await secrets.list()).flatMap(({ request }) => (request?.state === "pending" ? [request] : [])),
    connections: orFail(await connections.list()).filter(isConnectionWaiting),
  };
  return { ...lists, count: countWaiting(lists), suggestions: orFail(await work.suggestions.list()) };
}
