import type { ShownPayload } from "#model";
import { connectionWords as said } from "../words/connection-words.ts";

type Setup = Extract<ShownPayload, { readonly kind: "connection_setup" }>;
type Row = { readonly key: string; readonly name: string; readonly text: string };

type Escalation = Extract<ShownPayload, { readonly kind: "permission_escalation" }>;

/** What a step asks for, read from the text that is signed: of which connection, what that has, and why. [CARD-09] */
export const escalationRows = (payload: Escalation): readonly Row[] => [
  { key: "connection", name: said.where, text: payload.connection_name },
  { key: "current", name: said.hasNow, text: payload.current_permissions.join(", ") || said.hasNothing },
  { key: "requested", name: said.asks, text: payload.requested_permissions.map((one) => `+ ${one}`).join(", ") },
  { key: "reason", name: said.why, text: payload.reason },
];

/** What connecting gives away, read from the text that is signed: to whom, what may be done there, what is reached. */
export const setupRows = ({ permissions, hosts, identity_hint: hint }: Setup): readonly Row[] => [
  { key: "permissions", name: said.asks, text: permissions.length === 0 ? said.hasNothing : permissions.join(", ") },
  { key: "hosts", name: said.reaches, text: hosts.length === 0 ? said.hasNothing : hosts.join(", ") },
  ...Object.values(hint).flatMap((who) => (who === null ? [] : [{ key: who, name: said.as, text: who }])),
];
