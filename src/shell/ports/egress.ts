/** Egress: the one way from a program in a sandbox to the open internet. */
import type { Result } from "#base";
import type { EgressUse, HostRule, SearchGrant } from "#model";

export interface EgressGateway {
  /**
   * Opens a door at this place of the file system, for one run. Whoever reaches the socket has the network of the grant
   * and nothing else: neither this machine, nor Silas, nor the network it stands in.
   */
  open(socketPath: string, grant: EgressGrant): Promise<Result<EgressDoor, EgressFault>>;
}

interface EgressDoor {
  /** Ends every connection, then tells the sums. Harmless the second time. */
  close(): Promise<void>;
}

/** The network of one run: exactly these hosts, and whoever keeps the record of what is done with them. */
export type EgressGrant = {
  readonly hosts: readonly HostRule[];
  /** The one search this run may make. */
  readonly search?: SearchGrant;
  /** What is added to requests for the host of each, and to no others. */
  readonly credentials?: readonly EgressCredential[];
  /** False when it could not be kept; then nothing leaves. */
  readonly onUse: (use: EgressUse) => Promise<boolean>;
};

/**
 * A secret on its way to the host it was saved for. A program asks for `http://HOST/`; the gateway speaks TLS to the host
 * and adds the header, so that the secret is never in the sandbox.
 */
export type EgressCredential = {
  readonly host: HostRule;
  readonly header: string;
  /** What stands in the header. Its use is recorded first; null when that failed, and then nothing leaves. */
  readonly reveal: () => Promise<string | null>;
  /** Everything that shows it: an answer that holds one of these goes no further. */
  readonly traces: readonly Uint8Array[];
};

export type EgressFault = { readonly code: "egress_not_opened"; readonly cause: unknown };
