import type { FastifyInstance } from "fastify";
import { assert, err, LIMITS, ok, type Result } from "#base";
import { isLoopbackHost } from "#model";
import { createAllowedCallers } from "./request-guard.ts";
import { createDeviceSessions, createOpenConnections } from "./device-sessions.ts";
import { createOpenSockets } from "./open-sockets.ts";
import { createRateWindow } from "./rate-window.ts";
import { createRefuse } from "./refusals.ts";
import { createWebApp } from "./web-app.ts";
import type { WebContext, WebServerDeps } from "./web-context.ts";

export type ListenRefusal =
  /** Reachable from other machines, and no token configured: nothing listens. [WEB-02, CFG-22] */
  | { readonly code: "token_required"; readonly host: string }
  | { readonly code: "port_in_use"; readonly port: number }
  | { readonly code: "listen_failed"; readonly cause: unknown };

interface WebServer {
  listen(): Promise<Result<{ readonly url: string; readonly port: number }, ListenRefusal>>;
  /** `http://localhost:PORT/enrol#CODE`, good once and for ten minutes. */
  enrolmentLink(): string;
  /** Whether a page with this origin is our own; none is before the port is known. */
  isOwnOrigin(origin: string): boolean;
  /** Stops accepting, lets running requests finish within the grace time, closes sockets with 1001. */
  close(): Promise<void>;
}

export async function createWebServer(deps: WebServerDeps): Promise<WebServer> {
  let place: ReturnType<WebContext["place"]> | null = null;
  const context = createContext(deps, () => {
    assert(place !== null, "no request is answered before the port is known");
    return place;
  });
  const app = await createWebApp(context);
  return {
    async listen() {
      const { host, port } = deps.settings;
      const scheme = deps.settings.tls === null ? "http" : "https";
      if (!isLoopbackHost(host) && deps.settings.configuredToken === null) return err({ code: "token_required", host });
      await app.ready();
      app.server.once("listening", () => {
        const bound = boundPort(app);
        const startedAt = deps.clock.now();
        const callers = createAllowedCallers({ scheme, host, port: bound, publicUrl: deps.settings.publicUrl });
        place = { url: `${scheme}://localhost:${bound}`, callers, startedAt };
      });
      try {
        await app.listen({ host, port });
      } catch (thrown) {
        return err(listenRefusal(thrown, port));
      }
      const { url } = context.place();
      deps.log.info("web_listening", { host, port: boundPort(app) });
      return ok({ url, port: boundPort(app) });
    },
    enrolmentLink: () => `${context.place().url}/enrol#${context.devices.createCode().code}`,
    isOwnOrigin: (origin) => place !== null && place.callers.isOrigin(origin),
    close: () => closeApp(app, context),
  };
}

function createContext(deps: WebServerDeps, place: WebContext["place"]): WebContext {
  const { clock, settings } = deps;
  return {
    ...deps,
    place,
    refuse: createRefuse(deps),
    devices: createDeviceSessions({
      store: deps.sessions,
      clock,
      randomness: deps.randomness,
      terminalToken: settings.terminalToken,
      configuredToken: settings.configuredToken,
    }),
    sockets: createOpenSockets(deps.timers),
    openConnections: createOpenConnections(deps.timers),
    limits: {
      enrolment: createRateWindow({ perMinute: LIMITS.enrolmentTriesPerMinute, clock }),
      requests: createRateWindow({ perMinute: LIMITS.requestsPerMinute, clock }),
      signingTries: createRateWindow({ perMinute: LIMITS.signingTriesPerMinute, clock }),
      framesPerScope: createRateWindow({ perMinute: settings.wsMessagesPerMinutePerScope, clock }),
      framesPerAddress: createRateWindow({ perMinute: settings.wsMessagesPerMinutePerIp, clock }),
    },
  };
}

function boundPort(app: FastifyInstance): number {
  const address = app.server.address();
  assert(address !== null && typeof address === "object", "a listening server has a port");
  return address.port;
}

function listenRefusal(thrown: unknown, port: number): ListenRefusal {
  const code = (thrown as { readonly code?: unknown } | null)?.code;
  return code === "EADDRINUSE" ? { code: "port_in_use", port } : { code: "listen_failed", cause: thrown };
}

async function closeApp(app: FastifyInstance, context: WebContext): Promise<void> {
  const cancel = context.timers.after(context.settings.shutdownGraceMs, () => app.server.closeAllConnections());
  await app.close();
  cancel();
}
