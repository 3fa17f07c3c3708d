import type { ReactNode } from "react";
import { Mark } from "../shell/mark.tsx";
import { words } from "../words.ts";
import { useSession } from "./session.ts";
import styles from "./signed-out.module.css";

const { signedOut } = words;

export function SignedOut(): ReactNode {
  const { state, reason } = useSession();
  if (state === "enrolling") {
    return (
      <main className={styles["page"]}>
        <p role="status">{signedOut.enrolling}</p>
      </main>
    );
  }
  const failed = state === "enrol_failed";
  const body =
    reason === "too_many" ? signedOut.tooMany : reason === "offline" ? signedOut.offline : signedOut.failedBody;
  return (
    <main className={styles["page"]}>
      <div className={styles["card"]}>
        <Mark size={40} />
        <h1>{failed ? signedOut.failedTitle : signedOut.title}</h1>
        <p>{failed ? body : signedOut.body}</p>
        <p>
          <code>{signedOut.command}</code>
        </p>
      </div>
    </main>
  );
}
