import type { Socket } from "node:net";
import { err, ok, type Result } from "#base";
import type { EgressRefusalReason, HostRule } from "#model";
import type { EgressCredential } from "#ports";
import type { Network } from "./network.ts";

/** Where a request without encryption goes, and what is added to it there. */
type Credentialed = { readonly target: HostRule; readonly credentials: readonly EgressCredential[] };

const PLAIN_PORT = 80;
const USUAL_PORT = 443;

/**
 * A request for a host that a credential was saved for is made over TLS, also where the program says port 80: nothing
 * that belongs to such a host goes there in the clear. Any other request stays as it is, and gets nothing.
 */
export function credentialedTarget(asked: HostRule, credentials: readonly EgressCredential[]): Credentialed {
  const isMeant = ({ host }: EgressCredential): boolean =>
    host.host === asked.host && (host.port === asked.port || (asked.port === PLAIN_PORT && host.port === USUAL_PORT));
  const target = credentials.find(isMeant)?.host ?? asked;
  const isThere = ({ host }: EgressCredential): boolean => host.host === target.host && host.port === target.port;
  return { target, credentials: credentials.filter(isThere) };
}

/** Whether a tunnel would carry what a credential is to be added to. */
export const isMeantInClear = (asked: HostRule, credentials: readonly EgressCredential[]): boolean =>
  asked.port === PLAIN_PORT && credentialedTarget(asked, credentials).credentials.length > 0;

type Prepared = { readonly socket: Socket; readonly added: Readonly<Record<string, string>> };

/** The same connection, encrypted, to whoever proved to be the host; only then is anything revealed. */
export async function prepareCredentials(
  plain: Socket,
  { target, credentials, network }: Credentialed & { readonly network: Network },
): Promise<Result<Prepared, EgressRefusalReason>> {
  if (credentials.length === 0) return ok({ socket: plain, added: {} });
  const { socket, proven } = network.secure(plain, target.host);
  socket.on("error", () => socket.destroy());
  if (!(await proven)) return err("credential_withheld");
  // What is packed could not be looked through.
  const added: Record<string, string> = { "accept-encoding": "identity" };
  for (const { header, reveal } of credentials) {
    const value = await reveal();
    if (value === null) return err("not_recorded");
    added[header] = value;
  }
  return ok({ socket, added });
}
