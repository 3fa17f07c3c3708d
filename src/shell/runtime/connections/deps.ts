import type { TimerTable } from "#engine";
import type { AuditActor, AuditDraft, Config } from "#model";
import type {
  ApprovalsDoor,
  AuditLog,
  Clock,
  ConnectionStore,
  KeptConnection,
  Log,
  OpenCallback,
  Randomness,
  ReviewFeed,
  Sandboxes,
  SecretsDoor,
  SecureInputStore,
  Timers,
  Vault,
} from "#ports";
import type { SignedDeps } from "../keys/signed-request.ts";
import type { InstalledSkills } from "../skills/installed.ts";

export type ConnectionDeps = SignedDeps & {
  readonly config: Pick<Config, "connections" | "scheduler"> & {
    readonly sandbox: Pick<Config["sandbox"], "defaultMemoryMb" | "defaultCpuSeconds">;
  };
  readonly store: ConnectionStore;
  readonly installed: Pick<InstalledSkills, "load">;
  readonly sandboxes: Sandboxes;
  readonly proposals: Pick<ApprovalsDoor, "propose" | "proposePayload">;
  readonly secrets: SecretsDoor;
  readonly inputs: Pick<SecureInputStore, "list">;
  readonly openCallback: OpenCallback;
  readonly vault: Pick<Vault, "get" | "put">;
  readonly review: ReviewFeed;
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly timerTable: TimerTable;
  readonly log: Log;
  /** What ends because Silas does is no failure of a connection. */
  readonly isClosing: () => boolean;
};

export const SYSTEM: AuditActor = { kind: "system" };

type Event = Extract<AuditDraft["event"], `connection_${string}`>;
type Data<E extends Event> = Omit<Extract<AuditDraft, { readonly event: E }>["data"], "connection_id" | "skill">;
type Told<E extends Event> = { readonly event: E; readonly data: Data<E>; readonly actor?: AuditActor };

/** What the chain is told about one connection. */
export function draftFor<E extends Event>(
  { clock }: Pick<ConnectionDeps, "clock">,
  { of, event, data, actor = SYSTEM }: Told<E> & { readonly of: Pick<KeptConnection, "record"> },
): AuditDraft {
  const about = { connection_id: of.record.connectionId, skill: of.record.skillName };
  return { event, data: { ...about, ...data }, at: clock.now(), actor } as AuditDraft;
}
