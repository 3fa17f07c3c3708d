import type { ConnectionManifest, ConnectionRecord } from "#model";

/** The gate of the policy lane that stands before every step which uses a connection. [PERM-02] */
export const CONNECTION_GATE = "connection_permission";

/** What a step says it uses. */
type WantedUse = {
  readonly connectionId: string;
  readonly skill: string;
  readonly file: string;
  readonly permissions: readonly string[];
};
type UseFacts = {
  readonly use: WantedUse;
  /** What is kept under that id; null for nothing. */
  readonly connection: {
    readonly record: Pick<ConnectionRecord, "skillName" | "status" | "permissionsGranted">;
    readonly registeredAt: string | null;
  } | null;
  /** What the version of the skill says that the connection was approved with; else why it cannot be used. */
  readonly skill: Pick<ConnectionManifest, "availablePermissions" | "scriptPermissions"> | { readonly problem: string };
};
export type UseVerdict =
  | { readonly kind: "allowed" }
  /** The owner is asked for these, and nothing runs meanwhile. */
  | { readonly kind: "missing"; readonly permissions: readonly string[] }
  | { readonly kind: "blocked"; readonly reason: string };

/**
 * Whether a step may use its connection, by what was granted and by nothing that a skill or a plan says of itself. What
 * is unknown, not connected or not what the skill declares is refused. [PERM-02] [CONN-06]
 */
export function judgeConnectionUse({ use, connection, skill }: UseFacts): UseVerdict {
  const { connectionId, file, permissions } = use;
  if (connection === null) return blocked(`there is no connection ${connectionId}`);
  const { skillName, status, permissionsGranted } = connection.record;
  if (skillName !== use.skill) return blocked(`${connectionId} is a connection of the skill ${skillName}`);
  if ("problem" in skill) return blocked(skill.problem);
  if (!isConnected(connection)) return blocked(`the connection ${connectionId} is ${status}`);
  const declared = Object.hasOwn(skill.scriptPermissions, file) ? (skill.scriptPermissions[file] ?? []) : [];
  if (!isSame(declared, permissions)) {
    const said = declared.length === 0 ? "nothing" : declared.join(", ");
    return blocked(`the skill says that ${file} uses ${said} of a connection`);
  }
  const missing = permissions.filter((one) => !permissionsGranted.includes(one));
  if (missing.length === 0) return { kind: "allowed" };
  const unknown = missing.find((one) => !skill.availablePermissions.includes(one));
  return unknown === undefined
    ? { kind: "missing", permissions: missing }
    : blocked(`the skill has no permission ${unknown}`);
}

/** What was set up once and works; while it is being widened it goes on working as it did. */
const isConnected = ({ record, registeredAt }: NonNullable<UseFacts["connection"]>): boolean =>
  registeredAt !== null && (record.status === "active" || record.status === "connecting");

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.length > 0 && one.every((permission) => other.includes(permission));

const blocked = (reason: string): UseVerdict => ({ kind: "blocked", reason });
