import { useState, type ReactNode } from "react";
import { LIMITS } from "#base";
import { Button } from "../parts/button.tsx";
import { Area } from "../parts/field.tsx";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { send } from "../wire/http.ts";
import { memoryWords } from "../words/memory-words.ts";
import { words } from "../words.ts";
import { invalidateMemory } from "./memory-reads.ts";
import styles from "./memory.module.css";

/** Whose words they are is said with them: nothing from outside is taken for the owner's by not asking. [TAINT-05] */
export function MemoryComposer(): ReactNode {
  const [text, setText] = useState("");
  const [from, setFrom] = useState<"own" | "foreign">("own");
  const [isBusy, setBusy] = useState(false);
  const isOffline = useConnection((state) => state.state === "offline");
  const save = async (): Promise<void> => {
    if (isBusy || isOffline || text.trim() === "") return;
    setBusy(true);
    const json = { from, content: text.trim(), memory_type: "fact", semantic_tags: [] };
    const answer = await send("/api/memory", { method: "POST", json });
    if (answer.ok) {
      setText("");
      setFrom("own");
      announce(memoryWords.saved);
      await invalidateMemory();
    } else toast(answer.error.message || words.connection.offline, { tone: "wrong" });
    setBusy(false);
  };
  return (
    <div className={styles["compose"]} aria-busy={isBusy}>
      <Area
        aria-label={memoryWords.write}
        placeholder={memoryWords.placeholder}
        value={text}
        dir="auto"
        maxLength={LIMITS.memoryChars}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
        }}
      />
      {text.trim() !== "" && (
        <>
          <label className={styles["foreign"]}>
            <input
              type="checkbox"
              checked={from === "foreign"}
              onChange={({ target }) => setFrom(target.checked ? "foreign" : "own")}
            />
            {memoryWords.foreign}
          </label>
          {from === "foreign" && <p>{memoryWords.foreignHint}</p>}
          <div className={styles["controls"]}>
            <Button tone="main" disabled={isOffline} onClick={() => void save()}>
              {memoryWords.save}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
