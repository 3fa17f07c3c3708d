/**
 * Headers of every answer. The page may load its own files only, open a socket to its own server only, and cannot be
 * framed; nothing else on the machine learns where it was. [T5]
 */
export function securityHeaders(host: string): Readonly<Record<string, string>> {
  return {
    // `'self'` covers the socket in current browsers; older ones need its origin spelled out, plain and over TLS.
    "content-security-policy": [
      "default-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ws://${host} wss://${host}`,
      "worker-src 'self'",
      "manifest-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy":
      "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), bluetooth=(), midi=(), display-capture=()",
  };
}
