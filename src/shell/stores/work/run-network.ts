import { ok } from "#base";
import type { NetworkUse } from "#model";
import type { RunNetworkStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";

type Parts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/**
 * What runs did with their network, beside the runs themselves. INVARIANT: what has ended stays as its end was recorded;
 * checks that are asked of it afterwards are in the chain alone.
 */
export function createRunNetworkStore({ db, recordAct }: Parts): RunNetworkStore {
  return {
    addNetworkUse: async ({ runId, use, draft }) =>
      guarded(() =>
        db.transaction(() => {
          recordAct(draft);
          db.run(
            `INSERT INTO run_network (run_id, host, requests, bytes_sent, bytes_received)
             SELECT :runId, :host, :requests, :bytesSent, :bytesReceived
             WHERE NOT EXISTS (SELECT 1 FROM work_runs WHERE run_id = :runId AND ended_at IS NOT NULL)
             ON CONFLICT (run_id, host) DO UPDATE SET requests = requests + excluded.requests,
               bytes_sent = bytes_sent + excluded.bytes_sent, bytes_received = bytes_received + excluded.bytes_received`,
            { runId, ...use },
          );
          return ok();
        }),
      ),
    networkOf: async (runId) => guardedValue(() => networkOf(db, runId)),
  };
}

type Row = {
  readonly host: string;
  readonly requests: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
};

export function networkOf(db: Sqlite, runId: string): readonly NetworkUse[] {
  return db
    .all<Row>(
      "SELECT host, requests, bytes_sent, bytes_received FROM run_network WHERE run_id = :runId ORDER BY host",
      {
        runId,
      },
    )
    .map(({ host, requests, bytes_sent: bytesSent, bytes_received: bytesReceived }) => ({
      host,
      requests,
      bytesSent,
      bytesReceived,
    }));
}
