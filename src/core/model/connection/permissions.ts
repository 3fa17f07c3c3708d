/** Words at the end of a permission that let nobody change anything. A word that is not here may mean anything. */
const READS: ReadonlySet<string> = new Set([
  "read",
  "readbasic",
  "readonly",
  "list",
  "view",
  "openid",
  "profile",
  "email",
  "offline_access",
]);

const partsOf = (permission: string): readonly string[] => permission.split(/[.:/]/);

/** What a permission is about, by its name: `Mail` of `Mail.ReadWrite`. One of a single word is about itself. */
const resourceOf = (permission: string): string => {
  const parts = partsOf(permission);
  return (parts.length === 1 ? permission : parts.slice(0, -1).join(".")).toLowerCase();
};

/** Whether more is asked of what was granted before, and of nothing else. [PERM-03] */
export function staysInside({ current, requested }: Widening): boolean {
  const known = new Set(current.map(resourceOf));
  return requested.every((permission) => known.has(resourceOf(permission)));
}
type Widening = { readonly current: readonly string[]; readonly requested: readonly string[] };

/** What may be done with permissions like these: look, or act as well. [CONN-05] */
export const tiersOf = (permissions: readonly string[]): ("observe" | "act")[] =>
  permissions.every(readsOnly) ? ["observe"] : ["observe", "act"];

/** Whether a permission only lets somebody look, by its name: `Mail.Read`, `notes:read`. [SETUP-10] */
export const readsOnly = (permission: string): boolean => READS.has((partsOf(permission).at(-1) ?? "").toLowerCase());
