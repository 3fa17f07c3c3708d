/** The subprotocol both sides speak. The token travels beside it and is never echoed. */
export const SOCKET_PROTOCOL = "silas";

const BEARER = "bearer.";

/** The token offered in `Sec-WebSocket-Protocol: silas, bearer.<token>`, or null. */
export function bearerProtocol(header: string | undefined): string | null {
  const offered = (header ?? "").split(",").map((part) => part.trim());
  const bearer = offered.find((part) => part.startsWith(BEARER));
  return bearer === undefined || bearer.length === BEARER.length ? null : bearer.slice(BEARER.length);
}
