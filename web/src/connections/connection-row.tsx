import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { oneLine, type Instant } from "#base";
import type { ConnectionViewBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import settings from "../settings/settings.module.css";
import { dateTime } from "../time/format.ts";
import { connectionWords as said } from "../words/connection-words.ts";
import styles from "./connections.module.css";

export type RowVerb = "connect" | "check" | "remove";
type RowProps = {
  readonly view: ConnectionViewBody;
  readonly isBlocked: boolean;
  readonly onAsk: (verb: RowVerb) => void;
};

/** One connection: how it stands, since when that is known, what it may do, and what can be asked of it. */
export function ConnectionRow({ view, isBlocked, onAsk }: RowProps): ReactNode {
  const { connection_id: id, name, status } = view.record;
  return (
    <li className={styles["row"]} data-connection={id} data-status={status} data-probe={view.probe}>
      <div>
        <strong>
          <Line text={name} />
        </strong>{" "}
        <em>{view.widens === null ? said.status[status] : said.signingIn}</em>
        {factsOf(view).map((fact) => (
          <span key={fact} className={settings["hint"]}>
            <Line text={fact} />
          </span>
        ))}
      </div>
      <RowActions view={view} isBlocked={isBlocked} onAsk={onAsk} />
    </li>
  );
}

function factsOf({ record, probe, summary, widens }: ConnectionViewBody): readonly string[] {
  if (record.status === "proposed" || (record.status === "connecting" && widens === null)) return [];
  const { last_health_check: checked, token_expires_at: until, permissions_granted: granted } = record;
  return [
    said.permissions(granted),
    checked === null ? said.neverChecked : said.checked(dateTime(checked as Instant)),
    ...(probe === "unprobed" ? [said.unprobed] : []),
    ...(until === null ? [] : [said.tokenUntil(dateTime(until as Instant))]),
    ...(summary === null ? [] : [summary]),
  ];
}

function RowActions({ view, isBlocked, onAsk }: RowProps): ReactNode {
  const { record, service, request_id: requestId, setup, failure } = view;
  const { status } = record;
  // What is only heard is neutralised as what is seen.
  const name = oneLine(record.name);
  const [isAsked, setIsAsked] = useState(false);
  if (isAsked) return <RemoveAsk name={name} isBlocked={isBlocked} onAsk={onAsk} onKeep={() => setIsAsked(false)} />;
  const waits = requestId !== null ? `/review/${requestId}` : setup !== null || failure !== null ? "/review" : null;
  return (
    <div className={styles["acts"]}>
      {waits !== null && (
        <Link href={waits} className={settings["way"]}>
          {requestId === null ? said.goOn : said.decide}
        </Link>
      )}
      {waits === null && status === "proposed" && (
        <Button size="small" disabled={isBlocked} onClick={() => onAsk("connect")}>
          <Line text={said.connect(service)} />
        </Button>
      )}
      {(status === "active" || status === "failed") && (
        <Button size="small" disabled={isBlocked} aria-label={said.checkOf(name)} onClick={() => onAsk("check")}>
          {said.check}
        </Button>
      )}
      <Button
        size="small"
        tone="danger"
        disabled={isBlocked}
        aria-label={said.removeOf(name)}
        onClick={() => setIsAsked(true)}
      >
        {said.remove}
      </Button>
    </div>
  );
}

type AskProps = Pick<RowProps, "isBlocked" | "onAsk"> & { readonly name: string; readonly onKeep: () => void };

/** Secrets that are gone have to be given again, so it is asked once. */
function RemoveAsk({ name, isBlocked, onAsk, onKeep }: AskProps): ReactNode {
  return (
    <div className={styles["acts"]} role="group" aria-label={said.removeAsk(name)}>
      <p>
        <Line text={said.removeAsk(name)} />
      </p>
      <Button size="small" onClick={onKeep} autoFocus>
        {said.removeNo}
      </Button>
      <Button size="small" tone="danger" disabled={isBlocked} onClick={() => onAsk("remove")}>
        {said.removeYes}
      </Button>
    </div>
  );
}
