import type { ConnectionView } from "#model";
import type { KeptConnection } from "#ports";
import { cardOfStep, failureCard } from "#work";
import type { ConnectionDeps } from "./deps.ts";
import { refOf } from "./run-script.ts";
import type { LiveSetup } from "./setup.ts";

type Seen = { readonly of: KeptConnection; readonly shown: ReturnType<LiveSetup["shown"]> };

/** A connection as people see it: how it stands, and what of it waits for them. */
export async function viewConnection(deps: ConnectionDeps, { of, shown }: Seen): Promise<ConnectionView> {
  const { record, service, probe, summary, widens, failure, attempts } = of;
  const facts = { service, vaultRefOf: (name: string): string => refOf(of, name), isWider: widens !== null };
  const attemptsMax = deps.config.connections.recoveryMaxAttempts;
  return {
    record,
    service,
    probe,
    summary,
    request_id: await waitingRequest(deps, of),
    widens,
    setup:
      shown === null
        ? null
        : {
            step_id: shown.stepId,
            step_type: shown.step.type,
            shown_at: shown.shownAt,
            card: cardOfStep(shown.step, facts),
          },
    failure: failure === null ? null : failureCard({ failure, attempts, attemptsMax }),
  };
}

/** The request that asks to connect it, as long as nobody has answered it. */
async function waitingRequest({ approvals }: ConnectionDeps, of: KeptConnection): Promise<string | null> {
  const { record, requestId } = of;
  if (record.status !== "proposed" || requestId === null) return null;
  const found = await approvals.find(requestId);
  return found.ok && found.value?.state === "pending" ? requestId : null;
}
