import { isPublicAddress, parseIpAddress } from "#base";

/** One place of the open internet that a plan names: a host and one port. */
export type HostRule = { readonly host: string; readonly port: number };

/** What a host stands for when it names no port. */
const USUAL_PORT = 443;

/**
 * Reads one entry of `hosts`. A host is a full name of letters, digits and hyphens, or a public address; it is compared
 * as it is written, so there is one spelling: lower case, no final dot, no wildcard. Names of other scripts are written
 * as they go over the wire (`xn--…`), where no letter looks like another.
 */
export function parseHostRule(text: string): HostRule | null {
  const [, bracketed, plain, portText] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  const port = portText === undefined ? USUAL_PORT : Number(portText);
  if (port < 1 || port > 65_535 || String(port) !== (portText ?? String(port))) return null;
  const address = parseIpAddress(host);
  if (address === null) return bracketed === undefined && isName(host) ? { host, port } : null;
  const isWrittenAs = address.family === 6 ? bracketed : plain;
  return isWrittenAs !== undefined && isPublicAddress(address) ? { host, port } : null;
}

/** As it is shown and recorded: always with its port. */
export function hostWords({ host, port }: HostRule): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether a name can be meant as one on the open internet. One whose end is a number would be read as an address. */
function isName(host: string): boolean {
  const labels = host.split(".");
  if (host.length > 253 || labels.length < 2 || /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) return false;
  return labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
}
