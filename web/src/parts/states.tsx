import { CircleAlert, CloudOff } from "lucide-react";
import type { ReactNode } from "react";
import { clockTime } from "../time/format.ts";
import { UNREACHABLE, type WireError } from "../wire/http.ts";
import { words } from "../words.ts";
import { Button } from "./button.tsx";
import styles from "./states.module.css";

/** One sentence and one thing to do. */
export function Empty({ text, children }: { readonly text: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className={styles["empty"]}>
      <p>{text}</p>
      {children}
    </div>
  );
}

/** What failed, what was kept, what to do, and the id that finds it in the logs. */
export function Failure({ error, onRetry }: { readonly error: WireError; readonly onRetry: () => void }): ReactNode {
  const isOffline = error.code === UNREACHABLE;
  return (
    <div className={styles["failure"]} role="alert">
      <h2>
        {isOffline ? <CloudOff size={20} aria-hidden /> : <CircleAlert size={20} aria-hidden />}
        {isOffline ? words.connection.offline : words.errors.read}
      </h2>
      <p>{isOffline ? words.errors.offlineNever : `${error.message} ${words.errors.readHelp}`}</p>
      {!isOffline && (
        <p className={styles["command"]}>
          <code>{error.errorId === null ? words.errors.doctor : words.errors.logs(error.errorId)}</code>
        </p>
      )}
      <Button onClick={onRetry}>{words.actions.retry}</Button>
    </div>
  );
}

/** Lines where text will be; read out once, and shown only when the answer takes longer than a blink. */
export function Skeleton({ label, rows = 5 }: { readonly label: string; readonly rows?: number }): ReactNode {
  return (
    <div className={styles["skeleton"]} role="status">
      <span className="hidden-visually">{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} className={styles["bone"]} aria-hidden />
      ))}
    </div>
  );
}

export function KeptNotice({ atMs }: { readonly atMs: number | null }): ReactNode {
  if (atMs === null) return null;
  return (
    <p className={styles["kept"]} role="status">
      <CloudOff size={16} aria-hidden /> {words.connection.kept(clockTime(atMs))}
    </p>
  );
}
