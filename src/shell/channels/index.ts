/**
 * channels: the ways in: the web server with its socket, the page that a service leads back to, and the owner's chat on
 * Telegram. Every listening socket of Silas is opened here, but for the gateway's own door to a sandbox.
 *
 * Decides who may speak and whether what was said is well formed; everything it lets through is a value of `#model`,
 * handed to a port. May import `#ports`, `#model` and `#base` only.
 * Invariants: every route but the page, its files, enrolment and health needs a session, on loopback too (WEB-02,
 * WEB-15); a token in an address is never read (WEB-03); a socket that did not authenticate within five seconds is
 * closed with 4001 and nothing it sent was processed (WEB-04); a limit that is reached refuses, and never queues
 * (LIM-01); in the chat one account is heard, and what it decides there is signed elsewhere (FLOW-18). Raw causes go to
 * the log and never to a client.
 */
export { openCallback } from "./callback.ts";
export { randomToken } from "./web/device-sessions.ts";
export { createBotApi } from "./telegram/bot-api.ts";
export { createTelegram, type Telegram } from "./telegram/telegram.ts";
export { createWebServer, type ListenRefusal } from "./web/web-server.ts";
export type { WebServerDeps } from "./web/web-context.ts";
export { loadTls, webSettings, type LoadedTls, type TlsUnreadable } from "./web/web-settings.ts";
