import { LockKeyhole } from "lucide-react";
import { useId, useState, type ReactNode, type SubmitEvent } from "react";
import { LIMITS, oneLine, type Instant } from "#base";
import type { SecureInputBody } from "#model";
import { Button } from "../parts/button.tsx";
import { OutsideLink } from "../parts/outside-link.tsx";
import { Line, Paragraphs } from "../parts/text.tsx";
import { dateTime } from "../time/format.ts";
import { useConnection } from "../wire/connection.ts";
import { UNREACHABLE, type WireError } from "../wire/http.ts";
import { words } from "../words.ts";
import { RevealButton } from "./reveal-button.tsx";
import { sendSecret, useVaultBackend } from "./secret-reads.ts";
import styles from "./secure-input-card.module.css";

type CardProps = { readonly request: SecureInputBody; readonly onStored: () => void };

/**
 * Asks for one secret. It decides nothing, so it has no risk. INVARIANT: what is typed lives in the field alone, never in
 * the state of the page, and leaves it by one request to the server it came from. [CARD-06]
 */
export function SecureInputCard({ request, onStored }: CardProps): ReactNode {
  const headingId = useId();
  const { label, guidance, host } = request;
  const { wrong, isBusy, submit } = useSending({ ref: request.ref_id, onStored });
  const isOffline = useConnection((state) => state.state) === "offline";
  return (
    <form
      className={styles["card"]}
      data-card-type="secure_input"
      data-ref={request.ref_id}
      aria-labelledby={headingId}
      autoComplete="off"
      noValidate
      onSubmit={(event) => void submit(event)}
    >
      <h2 id={headingId} className={styles["label"]}>
        <Line text={label} />
      </h2>
      {guidance.instructions !== "" && <Paragraphs text={guidance.instructions} className={styles["instructions"]} />}
      {host !== null && (
        <p className={styles["instructions"]}>
          <Line text={words.secrets.forHost(host)} />
        </p>
      )}
      {guidance.help_url !== null && (
        <OutsideLink url={guidance.help_url} label={words.secrets.help} className={styles["help"]} />
      )}
      <SecretField hint={request.input_hint} wrong={wrong} isDisabled={isOffline || isBusy} />
      <Destination />
      {isOffline && (
        <p className={styles["offline"]} role="status">
          {words.secrets.offline}
        </p>
      )}
      <Button type="submit" tone="main" className={styles["send"]} disabled={isOffline || isBusy}>
        {isBusy ? words.secrets.storing : words.secrets.store}
      </Button>
      <p className={styles["times"]}>
        {words.secrets.asked(dateTime(request.created_at as Instant))},{" "}
        {words.secrets.until(dateTime(request.expires_at as Instant))}
      </p>
    </form>
  );
}

type Sending = { readonly ref: string; readonly onStored: () => void };

/** The field is emptied before anything is waited for; whatever comes of it, it is typed anew. */
function useSending({ ref, onStored }: Sending) {
  const [wrong, setWrong] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const field = form.querySelector("input");
    if (field === null || isBusy) return;
    const { value } = field;
    const refused = whyNotSent(value);
    setWrong(refused);
    if (refused !== null) return field.focus();
    form.reset();
    setBusy(true);
    const sent = await sendSecret(ref, value);
    setBusy(false);
    if (sent.ok) onStored();
    else setWrong(sayRefusal(sent.error));
  };
  return { wrong, isBusy, submit };
}

function whyNotSent(value: string): string | null {
  if (value === "") return words.secrets.empty;
  const isTooLong = new TextEncoder().encode(value).length > LIMITS.secretBytes;
  return isTooLong ? words.secrets.tooLong(LIMITS.secretBytes.toLocaleString()) : null;
}

/** What nobody waits for any more is not to be typed again. */
const OVER = new Set(["secret_fulfilled", "secret_not_asked"]);

function sayRefusal({ code, message }: WireError): string {
  if (code === UNREACHABLE) return words.secrets.unknownOutcome;
  return OVER.has(code) ? message : `${message} ${words.secrets.again}`;
}

type FieldProps = {
  readonly hint: string | null;
  readonly wrong: string | null;
  readonly isDisabled: boolean;
};

function SecretField({ hint, wrong, isDisabled }: FieldProps): ReactNode {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const note = wrong ?? (hint === null || hint === "" ? null : words.secrets.hint(oneLine(hint)));
  return (
    <div className={styles["field"]}>
      <label htmlFor={id}>{words.secrets.field}</label>
      <div className={styles["control"]}>
        <input
          id={id}
          type={isShown && !isDisabled ? "text" : "password"}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          disabled={isDisabled}
          aria-invalid={wrong !== null}
          aria-describedby={note === null ? undefined : `${id}-note`}
        />
        <RevealButton onHold={setShown} isDisabled={isDisabled} />
      </div>
      {note !== null && (
        <p
          id={`${id}-note`}
          className={wrong === null ? styles["hint"] : styles["wrong"]}
          role={wrong === null ? undefined : "alert"}
        >
          {note}
        </p>
      )}
    </div>
  );
}

function Destination(): ReactNode {
  const backend = useVaultBackend();
  return (
    <p className={styles["destination"]} data-vault={backend}>
      <LockKeyhole size={16} aria-hidden />
      {backend === null ? words.secrets.goesUnknown : words.secrets.goes[backend]}
    </p>
  );
}
