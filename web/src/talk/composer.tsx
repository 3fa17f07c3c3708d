import { useState, type ReactNode } from "react";
import { LIMITS } from "#base";
import { Button } from "../parts/button.tsx";
import { Area } from "../parts/field.tsx";
import { toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";
import { talkWords } from "../words/talk-words.ts";
import { words } from "../words.ts";
import { invalidateTalk } from "./talk-reads.ts";
import styles from "./talk.module.css";

/** Words that a suggestion brought here; they are sent by nobody but who reads them. */
function handedOver(): string {
  const state = history.state as { readonly text?: unknown } | null;
  return typeof state?.text === "string" ? state.text : "";
}

/** What is written stays until Silas has it: a message that did not get there is not gone. */
export function Composer(): ReactNode {
  const [text, setText] = useState(handedOver);
  const [isBusy, setBusy] = useState(false);
  const isOffline = useConnection((state) => state.state === "offline");
  const say = async (): Promise<void> => {
    if (isBusy || isOffline || text.trim() === "") return;
    setBusy(true);
    const answer = await send("/api/messages", { method: "POST", json: { text: text.trim() } });
    if (answer.ok) setText("");
    else toast(answer.error.message || words.connection.offline, { tone: "wrong" });
    await invalidateTalk();
    setBusy(false);
  };
  return (
    <div className={styles["composer"]} aria-busy={isBusy}>
      <Area
        aria-label={talkWords.write}
        placeholder={talkWords.write}
        value={text}
        dir="auto"
        maxLength={LIMITS.textChars}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void say();
        }}
      />
      <div className={styles["controls"]}>
        <Button tone="main" disabled={isOffline || isBusy || text.trim() === ""} onClick={() => void say()}>
          {talkWords.send}
        </Button>
        <span className={styles["note"]}>{talkWords.hint}</span>
      </div>
    </div>
  );
}
