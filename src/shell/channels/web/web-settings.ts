import { readFile } from "node:fs/promises";
import { err, ok, type Result } from "#base";
import type { Config } from "#model";
import type { WebSettings } from "./web-context.ts";

export type LoadedTls = WebSettings["tls"];
export type TlsUnreadable = { readonly code: "tls_unreadable"; readonly cause: unknown };

/** What does not come from the configuration, or is read before anything listens. */
type Given = Pick<WebSettings, "terminalToken" | "tls" | "version" | "pageDir">;

export function webSettings(config: Config, given: Given): WebSettings {
  const { host, port, authToken, publicUrl, trustedProxies } = config.channels.web;
  return {
    ...given,
    host,
    port,
    configuredToken: authToken?.reveal() ?? null,
    publicUrl,
    trustedProxies,
    dataDir: config.dataDir,
    ownerId: config.ownerId,
    wsMessagesPerMinutePerScope: config.limits.wsMessagesPerMinutePerScope,
    wsMessagesPerMinutePerIp: config.limits.wsMessagesPerMinutePerIp,
    approvalTtlMs: config.approval.defaultTtlMinutes * 60_000,
    shutdownGraceMs: config.backpressure.shutdownGraceSeconds * 1000,
  };
}

export async function loadTls(config: Config): Promise<Result<LoadedTls, TlsUnreadable>> {
  const { cert, key } = config.channels.web.tls;
  if (cert === null || key === null) return ok(null);
  try {
    const pair = { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
    // Throws where the two are no certificate and its key: better here, before anything is opened.
    process.getBuiltinModule("node:tls").createSecureContext(pair);
    return ok(pair);
  } catch (cause) {
    return err({ code: "tls_unreadable", cause });
  }
}
