import type { ConnectionStatus } from "./connection-record.ts";

type Standing = { readonly record: { readonly status: ConnectionStatus }; readonly failure: object | null };

/** Whether it has a card in Review: a setup that goes on, or something that went wrong and that nobody has answered. */
export const isConnectionWaiting = ({ record, failure }: Standing): boolean =>
  failure !== null || record.status === "connecting";
