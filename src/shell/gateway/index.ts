/**
 * gateway: the one door out.
 *
 * A model is asked at the one address that the configuration names, after it is on record what leaves. So is the Bot API,
 * with a token that stays in here.
 * A program in a sandbox has no network. What an approved plan names as hosts it reaches through a socket that ends here:
 * a proxy that knows the hosts of this one run. Decides nothing about what is granted; it makes sure that nothing else is
 * reached, whatever name, address, redirect or spelling is tried.
 * May import `#ports`, `#model` and `#base` only.
 * Invariants: a connection is made to an address that was looked up here, once for each run, and never again by its name;
 * no address of this machine or of a network that is not the open internet is connected to, whatever a plan says (SBX-09);
 * nothing leaves before it is recorded where it goes.
 */
export { createEgressGateway } from "./waiting-gateway.ts";
export { createBotGateway } from "./bot-gateway.ts";
export type { Network } from "./network.ts";
export { createModels } from "./models/create-models.ts";
export { createMemoryModels, type ModelScript } from "./models/memory-models.ts";
