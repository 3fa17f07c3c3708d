import type { HostRule } from "#model";

const AUTHORITY = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9.-]{1,253}))(?::(\d{1,5}))?$/;

/**
 * Where a request asks to go: `CONNECT host:port`. Nothing is put right on the way: what is not spelled as a plan spells
 * it is granted by none.
 */
export function readAuthority(text: string, usualPort: number | null): HostRule | null {
  const [whole, bracketed, plain, portText] = AUTHORITY.exec(text.toLowerCase()) ?? [];
  const port = portText === undefined ? usualPort : Number(portText);
  if (whole === undefined || port === null || port < 1 || port > 65_535) return null;
  return { host: bracketed ?? plain ?? "", port };
}

export type PlainTarget = { readonly rule: HostRule; readonly path: string };

/** `GET http://host:port/path`, the form in which a proxy is asked for a page without encryption. */
export function readPlainTarget(url: string): PlainTarget | null {
  const [, authority = "", rest = ""] = /^http:\/\/([^/?#@\s]+)([/?][^#\s]*)?$/i.exec(url) ?? [];
  const rule = readAuthority(authority, 80);
  if (rule === null) return null;
  return { rule, path: rest.startsWith("/") ? rest : `/${rest}` };
}
