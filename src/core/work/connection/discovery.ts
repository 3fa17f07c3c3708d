import { AUTH_STRATEGIES, type AuthStrategy, type ConnectionManifest, type Discovery } from "#model";

/** The best of the ways in that a service offers: a secret is typed only where nothing else is possible. [SECRET-13] */
export function chooseStrategy({ auth_strategy: said, supported_strategies: others }: Discovery): AuthStrategy {
  return AUTH_STRATEGIES.find((strategy) => strategy === said || others.includes(strategy)) ?? said;
}

/** What is asked for at first: exactly what the skill names as its beginning, and never its whole catalogue. [PERM-01] */
export const firstPermissions = ({ initialPermissions }: Pick<ConnectionManifest, "initialPermissions">): string[] => [
  ...initialPermissions,
];
