import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { LIMITS } from "#base";
import { Button } from "../parts/button.tsx";
import { Area } from "../parts/field.tsx";
import { useUi } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { talkWords } from "../words/talk-words.ts";
import { sendMessage, stopAnswer } from "./talk-acts.ts";
import styles from "./talk.module.css";

/** Words that a suggestion brought here; they are sent by nobody but who reads them. */
function handedOver(): string {
  const state = history.state as { readonly text?: unknown } | null;
  return typeof state?.text === "string" ? state.text : "";
}

/** What is written stays until Silas has it: a message that did not get there is not gone. */
export function Composer({ answering }: { readonly answering: string | null }): ReactNode {
  const [text, setText] = useState(handedOver);
  const [isBusy, setBusy] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const isOffline = useConnection((state) => state.state === "offline");
  const say = async (): Promise<void> => {
    if (isBusy || isOffline || text.trim() === "") return;
    setBusy(true);
    if (await sendMessage({ text: text.trim() })) setText("");
    setBusy(false);
  };
  const stop = async (messageId: string): Promise<void> => {
    // The button goes with the answer; whoever pressed it is not left without a place.
    area.current?.focus();
    await stopAnswer(messageId);
  };
  useStopKey(answering);
  return (
    <div className={styles["composer"]} aria-busy={isBusy}>
      <Area
        ref={area}
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
        {answering === null ? (
          <span className={styles["note"]}>{talkWords.hint}</span>
        ) : (
          <Button disabled={isOffline} onClick={() => void stop(answering)}>
            {talkWords.stop}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Escape stops the answer, unless it closes something else or belongs to another part of the page. */
function useStopKey(answering: string | null): void {
  useLayoutEffect(() => {
    if (answering === null) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      if (useUi.getState().sheet.kind !== "none" || document.querySelector("dialog[open], [role=menu]") !== null)
        return;
      const target = event.target instanceof Element ? event.target : null;
      if (target !== document.body && target?.closest("main") == null) return;
      event.preventDefault();
      void stopAnswer(answering);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [answering]);
}
