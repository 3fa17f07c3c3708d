import { isLoopbackHost } from "#model";
import type { WebSettings } from "../web-context.ts";

type CameBy = {
  /** The scheme, as a trusted proxy or our own socket has it. */
  readonly protocol: string;
  /** The name the client used. */
  readonly host: string;
  readonly by: "itself" | "proxy";
};

/**
 * Whether nobody on a network could read what was sent: over TLS, ours or that of a trusted proxy, or on a machine that
 * listens to itself alone and was called by its loopback name. [SECRET-10]
 */
export function isPrivatePath(settings: Pick<WebSettings, "tls" | "host">, { protocol, host, by }: CameBy): boolean {
  if (settings.tls !== null || protocol === "https") return true;
  return by === "itself" && isLoopbackHost(settings.host) && isLoopbackHost(nameOf(host));
}

const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/** A proxy that nobody configured is not believed, but what it adds is enough to know that it is there. */
export const cameBy = (headers: { readonly [name: string]: unknown }): CameBy["by"] =>
  FORWARDING.some((name) => headers[name] !== undefined) ? "proxy" : "itself";

const nameOf = (host: string): string => host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
