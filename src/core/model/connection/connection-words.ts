import { oneLine } from "#base";
import type { Words } from "../words.ts";
import type { ConnectionStatus } from "./connection-record.ts";

export type ConnectionRefusal =
  | { readonly code: "connection_unknown"; readonly connectionId: string }
  | { readonly code: "not_a_connection_skill"; readonly skill: string }
  /** Discovery answered nothing that could be read; what it did say is in `detail`, if it can be shown. */
  | { readonly code: "discovery_failed"; readonly skill: string; readonly detail: string }
  | { readonly code: "connection_busy"; readonly connectionId: string; readonly status: ConnectionStatus }
  | { readonly code: "step_not_shown"; readonly stepId: string }
  | { readonly code: "recovery_unknown"; readonly action: string };

type Table = {
  readonly [C in ConnectionRefusal["code"]]: (error: Extract<ConnectionRefusal, { readonly code: C }>) => Words;
};

const refused = (what: string, next = ""): Words => ({ what, kept: "Nothing was changed.", next });
const LIST = "`silas connections list` shows how each stands.";

export const CONNECTION_WORDS: Table = {
  connection_unknown: ({ connectionId }) => refused(`There is no connection ${oneLine(connectionId)}.`, LIST),
  not_a_connection_skill: ({ skill }) =>
    refused(
      `The skill ${oneLine(skill)} connects to nothing: its SKILL.md does not say \`type: connection\`.`,
      "`silas skills list` shows your skills.",
    ),
  discovery_failed: ({ skill, detail }) =>
    refused(`The skill ${oneLine(skill)} could not say how to connect: ${oneLine(detail)}.`, LIST),
  connection_busy: ({ status }) => refused(`That cannot be done while the connection is ${status}.`, LIST),
  step_not_shown: ({ stepId }) =>
    refused(`The step ${oneLine(stepId)} is not the one that waits.`, "Look again; the setup has gone on."),
  recovery_unknown: ({ action }) => refused(`${oneLine(action)} is none of the ways on that were offered.`, LIST),
};
