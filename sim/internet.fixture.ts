import { createServer, type RequestListener } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { secretText } from "#model";
import type { EgressGateway } from "#ports";
import { createEgressGateway } from "#gateway";
import { systemTimers } from "#runtime";

type Internet = {
  readonly gateway: EgressGateway;
  /** The hosts that were spoken to behind a certificate, in order. */
  readonly secured: readonly string[];
};

const SEARCH = { timeoutSeconds: 8, maxResults: 5, maxQueryChars: 300, allowedDomains: [] };
const configOf = (search: "search" | "no search") => ({
  channels: { web: { publicUrl: null } },
  search:
    search === "search"
      ? { ...SEARCH, provider: "tavily" as const, apiKey: secretText("tvly-key") }
      : { ...SEARCH, provider: null, apiKey: null },
  limits: { webSearchCallsPerMinutePerScope: 20 },
});

/** One server that is the whole internet, whatever host it is asked for, until the test is over. */
export async function internet(search: "search" | "no search", answer: RequestListener): Promise<Internet> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const secured: string[] = [];
  const network = {
    resolve: async () => ["93.184.215.14"],
    dial: () => connect({ host: "127.0.0.1", port }),
    secure: (socket: Socket, host: string) => {
      secured.push(host);
      return { socket, proven: Promise.resolve(true) };
    },
    ownAddresses: () => [],
  };
  return { secured, gateway: createEgressGateway({ timers: systemTimers, config: configOf(search), network }) };
}
