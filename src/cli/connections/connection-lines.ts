import { oneLine } from "#base";
import type { ConnectionCard, ConnectionView } from "#model";
import { showMoment } from "../terminal/local-time.ts";

export const connectionRow = ({ record, probe, ...view }: ConnectionView): readonly string[] => [
  record.connectionId,
  record.name,
  stateOf({ record, ...view }),
  record.permissionsGranted.join(", "),
  record.lastHealthCheck === null ? "never" : showMoment(record.lastHealthCheck),
  probe,
];

/** What was asked for and is not asked any more is as little connected as what never was. */
function stateOf({ record, widens, request_id: requestId }: Standing): string {
  if (widens !== null) return "signing in again";
  return record.status === "proposed" && requestId === null ? "not connected" : record.status;
}
type Standing = Pick<ConnectionView, "record" | "widens" | "request_id">;

/** One connection, what waits about it, and the command for each answer. */
export function describeConnection(view: ConnectionView): readonly string[] {
  const { record, service, probe, summary, request_id: requestId, setup, failure } = view;
  const id = record.connectionId;
  return [
    `${record.name}: ${stateOf(view)}`,
    `service     ${service}, by the skill ${record.skillName}`,
    `may         ${record.permissionsGranted.join(", ") || "nothing"}`,
    `looked at   ${record.lastHealthCheck === null ? "never" : showMoment(record.lastHealthCheck)}, ${probe}`,
    ...(summary === null ? [] : [`found       ${summary}`]),
    ...(record.tokenExpiresAt === null ? [] : [`access to   ${showMoment(record.tokenExpiresAt)}`]),
    ...(requestId === null ? [] : [`Decide with \`silas approve ${requestId}\`.`]),
    ...(setup === null ? [] : cardLines(id, setup.card, "answer")),
    ...(failure === null ? [] : cardLines(id, failure, "recover")),
  ].map(oneLine);
}

/** A card in the words of a terminal: what it says, what has to be done, and what can be answered. */
function cardLines(id: string, card: ConnectionCard, verb: "answer" | "recover"): readonly string[] {
  return [
    `${card.intent}. ${card.rationale}`,
    ...toDo(card),
    ...card.ctas.map(
      ({ action, label, consequence_label: means }) =>
        `  silas connections ${verb} ${id} ${action}  ${label}: ${means}`,
    ),
  ];
}

function toDo(card: ConnectionCard): readonly string[] {
  if (card.card_type === "device_code") return [`Type ${card.user_code} at ${card.verification_url}`];
  if (card.card_type === "browser_redirect") return [`Sign in at ${card.auth_url}`];
  return card.card_type === "secure_input" ? [`\`silas secrets set ${card.vault_ref}\` takes it.`] : [];
}

/** What waits for the owner, in one line for the inbox. */
export const waitingLine = ({ record, setup, failure }: ConnectionView): string =>
  oneLine(
    `Connection ${record.name}: ${(failure ?? setup?.card)?.intent ?? record.status}. \`silas connections show ${record.connectionId}\` says how to go on.`,
  );
