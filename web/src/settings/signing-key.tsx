import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, ShieldAlert, ShieldCheck } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Instant } from "#base";
import type { OwnerKeyBody } from "#model";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Line } from "../parts/text.tsx";
import { clockTime, dateTime } from "../time/format.ts";
import { offerDeviceKey, readDeviceKeyAgain, useDeviceKey, type Device, type DeviceState } from "../trust/index.ts";
import { send } from "../wire/http.ts";
import { words } from "../words.ts";
import settings from "./settings.module.css";
import styles from "./signing-key.module.css";
import { TrustFacts } from "./trust-facts.tsx";

/** Which key signs here, how it stands with it, and the one thing to do about it. */
export function SigningKey(): ReactNode {
  const { device, failed } = useDeviceKey();
  const heading = useArrival();
  return (
    <section id="signing" className={settings["card"]} aria-labelledby="signing-heading">
      <h2 id="signing-heading" ref={heading} tabIndex={-1}>
        {words.signing.heading}
      </h2>
      {failed !== null && <p className={settings["hint"]}>{failed.message || words.signing.offline}</p>}
      {device === null && failed === null && <p className={settings["hint"]}>{words.signing.loading}</p>}
      {device !== null && <DeviceKeyState device={device} />}
      <OtherKeys mine={device?.state.kind === "enrolled" ? device.state.keyId : null} />
      <TrustFacts />
    </section>
  );
}

/** The way here from a card that cannot be approved yet ends at this heading. */
function useArrival() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (location.hash !== "#signing") return;
    heading.current?.scrollIntoView({ block: "start" });
    heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
}

function DeviceKeyState({ device }: { readonly device: Device }): ReactNode {
  const { state } = device;
  return (
    <div data-device={state.kind} aria-live="polite" className={styles["stack"]}>
      <StateHeading state={state} />
      <StateBody state={state} />
      <Offer device={device} />
    </div>
  );
}

const TITLES: { readonly [K in DeviceState["kind"]]: string | null } = {
  none: null,
  waiting: words.signing.waiting,
  enrolled: words.signing.ready,
  lost: words.signing.lost,
  revoked: words.signing.revoked,
  code_differs: words.signing.differs,
  unsupported: words.signing.unsupported,
};

function StateHeading({ state: { kind } }: { readonly state: DeviceState }): ReactNode {
  const title = TITLES[kind];
  if (title === null) return null;
  const Icon = kind === "enrolled" ? ShieldCheck : kind === "waiting" ? KeyRound : ShieldAlert;
  return (
    <h3 className={styles["state"]} data-kind={kind}>
      <Icon size={20} aria-hidden /> {title}
    </h3>
  );
}

function StateBody({ state }: { readonly state: DeviceState }): ReactNode {
  switch (state.kind) {
    case "none":
      return <p className={settings["hint"]}>{words.signing.lead}</p>;
    case "waiting":
      return <Waiting code={state.code} expiresAt={state.expiresAt} />;
    case "enrolled":
      return <Enrolled keyBody={state.key} />;
    case "lost":
      return <p className={settings["hint"]}>{words.signing.lostBody}</p>;
    case "revoked":
      return <p className={settings["hint"]}>{words.signing.revokedBody}</p>;
    case "code_differs":
      return <p className={styles["alarm"]}>{words.signing.differsBody}</p>;
    case "unsupported":
      return (
        <>
          <p className={settings["hint"]}>{words.signing.unsupportedBody}</p>
          <p className={styles["command"]}>
            <code>{words.signing.unsupportedCommand}</code>
          </p>
        </>
      );
  }
}

type WaitingProps = { readonly code: string; readonly expiresAt: Instant };

function Waiting({ code, expiresAt }: WaitingProps): ReactNode {
  return (
    <>
      <p className={settings["hint"]}>{words.signing.compare}</p>
      <p className={styles["code"]} data-testid="device-code" data-code={code}>
        <span className="hidden-visually">{words.signing.code}: </span>
        <span>{code.slice(0, 3)}</span> <span>{code.slice(3)}</span>
      </p>
      <p className={styles["command"]}>
        <code>{words.signing.command(code)}</code>
        <CopyButton text={words.signing.command(code)} label={words.signing.copy} />
      </p>
      <p className={settings["hint"]}>{words.signing.until(clockTime(expiresAt))}</p>
    </>
  );
}

function Enrolled({ keyBody }: { readonly keyBody: OwnerKeyBody }): ReactNode {
  return (
    <>
      <dl className={settings["facts"]}>
        <Fact name={words.signing.name}>
          <Line text={keyBody.name} />
        </Fact>
        <Fact name={words.signing.keyId}>
          <code title={keyBody.key_id}>{keyBody.key_id.slice(0, SHORT_CHARS)}</code>
        </Fact>
        <Fact name={words.signing.enrolled}>{dateTime(keyBody.enrolled_at as Instant)}</Fact>
        <Fact name={words.signing.lastUsed}>{whenUsed(keyBody)}</Fact>
      </dl>
      <p className={settings["hint"]}>{words.signing.ends}</p>
    </>
  );
}

const SHORT_CHARS = 8;
const whenUsed = ({ last_used_at: at }: OwnerKeyBody): string =>
  at === null ? words.signing.never : dateTime(at as Instant);

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const OFFERS: {
  readonly [K in DeviceState["kind"]]: { readonly label: string; readonly key: "kept" | "fresh" } | null;
} = {
  none: { label: words.signing.begin, key: "kept" },
  waiting: { label: words.signing.startOver, key: "kept" },
  enrolled: null,
  lost: { label: words.signing.again, key: "fresh" },
  revoked: { label: words.signing.fresh, key: "fresh" },
  code_differs: { label: words.signing.startOver, key: "fresh" },
  unsupported: null,
};

/** The one thing to do in this state. */
function Offer({ device }: { readonly device: Device }): ReactNode {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const offer = OFFERS[device.state.kind];
  if (offer === null) return null;
  const begin = async (): Promise<void> => {
    setIsBusy(true);
    setRefusal(null);
    const { sessionId, name } = device;
    const offered = await offerDeviceKey({ sessionId, name, key: offer.key });
    if (!offered.ok) setRefusal(refusalWords(offered.error));
    await readDeviceKeyAgain(client);
    setIsBusy(false);
  };
  const tone = device.state.kind === "waiting" ? "quiet" : "main";
  return (
    <>
      {refusal !== null && (
        <p className={styles["alarm"]} role="alert">
          {refusal}
        </p>
      )}
      <Button tone={tone} disabled={isBusy} onClick={() => void begin()}>
        {isBusy ? words.signing.busy : offer.label}
      </Button>
    </>
  );
}

function refusalWords(error: { readonly code: string; readonly message?: string }): string {
  if (error.code === "code_differs") return words.signing.differsBody;
  return error.message === undefined || error.message === "" ? words.connection.offline : error.message;
}

/** Whose signatures count besides this device's. */
function OtherKeys({ mine }: { readonly mine: string | null }): ReactNode {
  const { data } = useQuery({
    queryKey: ["review", "owner-keys", mine],
    queryFn: async () => {
      const answer = await send<{ readonly keys: readonly OwnerKeyBody[] }>("/api/keys", { method: "GET" });
      // That nobody could be asked is no answer.
      return answer.ok ? answer.value.keys : null;
    },
  });
  const others = data?.filter((each) => each.revoked_at === null && each.key_id !== mine);
  if (others === undefined) return null;
  return (
    <>
      <h3 className={styles["part"]}>{words.signing.others}</h3>
      {others.length === 0 && <p className={settings["hint"]}>{words.signing.noOthers}</p>}
      <ul className={settings["rows"]}>
        {others.map((each) => (
          <li key={each.key_id}>
            <span>
              <Line text={each.name} /> <em>{kindWords(each.kind)}</em>
              <span className={settings["hint"]}>
                <code>{each.key_id.slice(0, SHORT_CHARS)}</code>{" "}
                {each.last_used_at === null ? words.signing.unused : words.signing.used(whenUsed(each))}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const kindWords = (kind: string): string =>
  kind === "browser" ? words.signing.kinds.browser : words.signing.kinds.vault;
