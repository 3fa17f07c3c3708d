import type { EgressGateway } from "#ports";
import type { GatewayOptions } from "./egress-gateway.ts";

/** The gateway, read with the first run that may go online: every command would wait for all of HTTP and TLS. */
export function createEgressGateway(options: GatewayOptions): EgressGateway {
  return {
    async open(socketPath, grant) {
      const { createServingGateway } = await import("./egress-gateway.ts");
      return createServingGateway(options).open(socketPath, grant);
    },
  };
}
