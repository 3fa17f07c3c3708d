/** Which `Host` and `Origin` values are this server's own. Everything else is someone else's page or name. */
export type AllowedCallers = {
  readonly isHost: (host: string | undefined) => boolean;
  readonly isOrigin: (origin: string) => boolean;
};

type OwnPlace = {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  /** `channels.web.public_url`: the one further address people may open, e.g. behind their own proxy. */
  readonly publicUrl: string | null;
};

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"] as const;
/** Binding to every interface names no host; a client must still use a loopback name or the public address. */
const EVERY_INTERFACE = new Set(["0.0.0.0", "::", "[::]", ""]);
const OWN_PORT = { http: 80, https: 443 } as const;

/**
 * INVARIANT: values are compared whole. A prefix or suffix test would let `localhost:8420.evil.example` in, and a name
 * that an attacker rebinds to 127.0.0.1 is not in the list. [T1]
 */
export function createAllowedCallers({ scheme, host, port, publicUrl }: OwnPlace): AllowedCallers {
  const names = new Set<string>(LOOPBACK_NAMES);
  const configured = host.toLowerCase();
  if (!EVERY_INTERFACE.has(configured)) names.add(configured.includes(":") ? bracketed(configured) : configured);
  const hosts = new Set([...names].map((name) => `${name}:${port}`));
  // Clients leave the port out when it is the scheme's own.
  if (port === OWN_PORT[scheme]) for (const name of names) hosts.add(name);
  const origins = new Set([...hosts].map((value) => `${scheme}://${value}`));
  if (publicUrl !== null) {
    const { host: publicHost, origin } = new URL(publicUrl);
    hosts.add(publicHost);
    origins.add(origin);
  }
  return {
    isHost: (value) => value !== undefined && hosts.has(value.toLowerCase()),
    isOrigin: (origin) => origins.has(origin),
  };
}

function bracketed(host: string): string {
  return host.startsWith("[") ? host : `[${host}]`;
}
