import type { ReactNode } from "react";
import { oneLine } from "#base";
import type { ConnectionCardOf } from "#model";
import { CopyButton } from "../parts/copy-button.tsx";
import { outsideAddress } from "../parts/outside-address.ts";
import { OutsideLink } from "../parts/outside-link.tsx";
import { Line } from "../parts/text.tsx";
import { stopwatch } from "../time/format.ts";
import { connectionWords as said } from "../words/connection-words.ts";
import type { ShownCard } from "./card-view.tsx";
import { codeGroups, spelledOut } from "./code-groups.ts";
import styles from "./connections.module.css";

type BodyProps = {
  readonly shown: ShownCard;
  readonly nowMs: number;
  readonly place: "same_machine" | "elsewhere";
  /** Seconds until it is over; null for what does not end by itself. */
  readonly left: number | null;
};

/** What one kind of card has beyond what every card has. */
export function CardBody({ shown, nowMs, place, left }: BodyProps): ReactNode {
  const { card, shownAt } = shown;
  switch (card.card_type) {
    case "device_code":
      return <DeviceCode card={card} left={left} />;
    case "browser_redirect":
      return <Redirect card={card} place={place} waited={waitedSeconds(shownAt, nowMs)} />;
    case "progress":
      return <Progress card={card} />;
    case "connection_failure":
      return <Failed card={card} />;
    case "secure_input":
      return null;
  }
}

const waitedSeconds = (shownAt: string | null, nowMs: number): number =>
  shownAt === null ? 0 : Math.max(0, Math.floor((nowMs - Date.parse(shownAt)) / 1000));

type DeviceCodeProps = { readonly card: ConnectionCardOf<"device_code">; readonly left: number | null };

function DeviceCode({ card, left }: DeviceCodeProps): ReactNode {
  const code = oneLine(card.user_code);
  if (left === 0) {
    return (
      <p className={styles["over"]} role="status">
        {said.codeOver}
      </p>
    );
  }
  return (
    <>
      <div className={styles["code"]}>
        <span
          className={styles["digits"]}
          role="img"
          aria-label={said.spelled(spelledOut(code))}
          data-testid="user-code"
        >
          {codeGroups(code).map(({ from, text }) => (
            <span key={from}>
              <Line text={text} />
            </span>
          ))}
        </span>
        <CopyButton text={code} label={said.copyCode} />
      </div>
      <Way url={card.verification_url} />
    </>
  );
}

/** Where it leads is seen before it is tapped, and can be typed elsewhere. */
function Way({ url }: { readonly url: string }): ReactNode {
  const isLink = outsideAddress(url) !== null;
  return (
    <>
      <OutsideLink url={url} label={said.open} className={styles["way"]} />
      <p className={styles["address"]} title={oneLine(url)}>
        {isLink ? said.enterAt : said.noLink}{" "}
        <code>
          <Line text={url} />
        </code>
      </p>
    </>
  );
}

type RedirectProps = Pick<BodyProps, "place"> & {
  readonly card: ConnectionCardOf<"browser_redirect">;
  readonly waited: number;
};

function Redirect({ card, place, waited }: RedirectProps): ReactNode {
  const { auth_url: url, listening_on: listening } = card;
  const address = outsideAddress(url);
  return (
    <>
      {address !== null && (
        <p>{place === "same_machine" ? said.opening(address.host) : said.otherMachine(address.host)}</p>
      )}
      {place === "same_machine" && <OutsideLink url={url} label={said.notOpened} className={styles["way"]} />}
      {address === null && <Way url={url} />}
      <p className={styles["address"]}>
        <Line text={said.waitingOn(listening)} />{" "}
        <span className={styles["clock"]} role="timer" data-testid="waited">
          {said.waited(stopwatch(waited))}
        </span>
      </p>
    </>
  );
}

function Progress({ card: { progress_pct: done } }: { readonly card: ConnectionCardOf<"progress"> }): ReactNode {
  if (done === null) return null;
  return (
    <p className={styles["progress"]}>
      <progress max={100} value={done} aria-label={said.progress} /> <span className="mono">{said.percent(done)}</span>
    </p>
  );
}

/** Who failed, and how, where the reason above does not say that already. */
function Failed({ card }: { readonly card: ConnectionCardOf<"connection_failure"> }): ReactNode {
  const { service, message, rationale } = card;
  return (
    <p className={styles["message"]} data-testid="failure" data-failure={card.failure_type}>
      <strong>
        <Line text={service} />
      </strong>
      {message !== rationale && (
        <>
          {": "}
          <Line text={message} />
        </>
      )}
    </p>
  );
}
