type OutsideAddress = { readonly href: string; readonly host: string };

/**
 * An address that somebody else wrote, as a link may lead there: encrypted, or on this very machine, and with nothing
 * before the host that reads like another one. The host comes back as the browser spells it, so that letters of other
 * scripts are seen for what they are. Null for everything else, which is then no link. [T24]
 */
export function outsideAddress(text: string): OutsideAddress | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, username, password, href, host } = new URL(text);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isSafe && username === "" && password === "" ? { href, host } : null;
}

/** This very machine, as an address names it. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
