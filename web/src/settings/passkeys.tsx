import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Instant, Result } from "#base";
import type { PasskeyBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/command.tsx";
import { Line } from "../parts/text.tsx";
import { deviceName } from "../session/session.ts";
import { dateTime } from "../time/format.ts";
import { addPasskey, passkeysBlocked, readPasskeys, removePasskey, type PasskeyFailure } from "../trust/index.ts";
import type { WireError } from "../wire/http.ts";
import { words } from "../words.ts";
import settings from "./settings.module.css";
import styles from "./signing-key.module.css";

const KEY = ["review", "passkeys"] as const;
type Change = Promise<Result<PasskeyBody, WireError | PasskeyFailure>>;

/** The passkeys of this browser. */
export function Passkeys(): ReactNode {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: KEY, queryFn: readPasskeys });
  const [isBusy, setIsBusy] = useState(false);
  const [said, setSaid] = useState("");
  const [refusal, setRefusal] = useState<string | null>(null);
  if (data === undefined || !data.ok) return null;
  const { passkeys: mine, elsewhere } = data.value;
  const change = async (work: Change, done: (name: string) => string): Promise<void> => {
    setIsBusy(true);
    setRefusal(null);
    const answer = await work;
    setSaid(answer.ok ? done(answer.value.name) : "");
    if (!answer.ok) setRefusal(refusalWords(answer.error));
    await client.invalidateQueries({ queryKey: KEY });
    setIsBusy(false);
  };
  const add = () => {
    const name = words.passkeys.name(mine.length + 1, deviceName(navigator.userAgent));
    return addPasskey(name, { hasOne: mine.length > 0 });
  };
  return (
    <section id="passkeys" className={settings["card"]} aria-labelledby="passkeys-heading">
      <h2 id="passkeys-heading">{words.passkeys.heading}</h2>
      <div className={styles["stack"]}>
        <p className={settings["hint"]}>{words.passkeys.lead}</p>
        <ul className={settings["rows"]}>
          {mine.map((each) => (
            <Row
              key={each.passkey_id}
              passkey={each}
              isBusy={isBusy}
              onRemove={() => void change(removePasskey(each.passkey_id), words.passkeys.doneRemoved)}
            />
          ))}
        </ul>
        <Foot mine={mine} elsewhere={elsewhere} />
        {refusal !== null && (
          <p className={styles["alarm"]} role="alert">
            {refusal}
          </p>
        )}
        <p role="status" className={settings["said"]}>
          {isBusy ? words.passkeys.adding : said}
        </p>
        <Adding isBusy={isBusy} onAdd={() => void change(add(), words.passkeys.doneAdded)} />
      </div>
    </section>
  );
}

type RowProps = { readonly passkey: PasskeyBody; readonly isBusy: boolean; readonly onRemove: () => void };

function Row({ passkey, isBusy, onRemove }: RowProps): ReactNode {
  const { name, created_at: at, last_used_at: used } = passkey;
  const added = words.passkeys.added(dateTime(at as Instant));
  const last = used === null ? words.signing.unused : words.signing.used(dateTime(used as Instant));
  return (
    <li data-passkey={passkey.passkey_id}>
      <span>
        <Line text={name} />
        <span className={settings["hint"]}>{`${added}, ${last}`}</span>
      </span>
      <Button size="small" tone="danger" disabled={isBusy} aria-label={words.passkeys.remove(name)} onClick={onRemove}>
        {words.passkeys.removeShort}
      </Button>
    </li>
  );
}

type FootProps = { readonly mine: readonly PasskeyBody[]; readonly elsewhere: readonly PasskeyBody[] };

function Foot({ mine, elsewhere }: FootProps): ReactNode {
  return (
    <>
      {mine.length === 0 && <p className={settings["hint"]}>{words.passkeys.none}</p>}
      {elsewhere.length > 0 && <p className={settings["hint"]}>{words.passkeys.elsewhere(elsewhere.length)}</p>}
      {mine.length > 0 && (
        <>
          <p className={settings["hint"]}>{words.passkeys.removeHint}</p>
          <Command text={words.passkeys.removeCommand(mine.length > 1 ? "ID" : (mine[0]?.passkey_id ?? "ID"))} />
        </>
      )}
    </>
  );
}

function Adding({ isBusy, onAdd }: { readonly isBusy: boolean; readonly onAdd: () => void }): ReactNode {
  const blocked = passkeysBlocked();
  if (blocked !== null) {
    const address = `http://localhost${location.port === "" ? "" : `:${location.port}`}`;
    return (
      <p className={settings["hint"]} data-blocked={blocked}>
        {words.passkeys.blocked[blocked](address)}
      </p>
    );
  }
  return (
    <Button disabled={isBusy} onClick={onAdd}>
      <Fingerprint size={18} aria-hidden /> {words.passkeys.add}
    </Button>
  );
}

function refusalWords(error: WireError | PasskeyFailure): string {
  if ("message" in error && error.message !== "") return error.message;
  return error.code in words.passkeys.failures
    ? words.passkeys.failures[error.code as keyof typeof words.passkeys.failures]
    : words.connection.offline;
}
