import { Download, Upload } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import type { ImportReport } from "#model";
import { invalidateJournal } from "../data/reads.ts";
import { Button } from "../parts/button.tsx";
import { offerFile } from "../parts/offer-file.ts";
import { today } from "../time/clock.ts";
import { request, send } from "../wire/http.ts";
import { words } from "../words.ts";
import styles from "./settings.module.css";

/** The owner's records, out and in. */
export function Data(): ReactNode {
  const [said, setSaid] = useState("");
  const file = useRef<HTMLInputElement>(null);
  const onExport = async (): Promise<void> => {
    const answer = await request("/api/journal/export", { method: "GET" });
    if (!answer.ok) return setSaid(answer.error.message || words.connection.offline);
    offerFile(await answer.value.blob(), `silas-${today()}.jsonl`);
  };
  const onImport = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    setSaid(words.settings.importing);
    const answer = await send<ImportReport>("/api/journal/import", {
      method: "POST",
      body: chosen,
      type: "application/x-ndjson",
    });
    setSaid(answer.ok ? words.settings.imported(answer.value) : answer.error.message || words.connection.offline);
    if (answer.ok) await invalidateJournal();
    if (file.current !== null) file.current.value = "";
  };
  return (
    <section className={styles["card"]}>
      <h2>{words.settings.data}</h2>
      <ul className={styles["rows"]}>
        <li>
          <span className={styles["hint"]}>{words.settings.exportHint}</span>
          <Button size="small" onClick={() => void onExport()}>
            <Download size={16} aria-hidden /> {words.settings.export}
          </Button>
        </li>
        <li>
          <span className={styles["hint"]}>{words.settings.importHint}</span>
          <Button size="small" onClick={() => file.current?.click()}>
            <Upload size={16} aria-hidden /> {words.settings.import}
          </Button>
          <input
            ref={file}
            type="file"
            hidden
            aria-label={words.settings.import}
            accept=".jsonl,.ndjson,application/x-ndjson"
            onChange={({ target }) => void onImport(target.files?.[0])}
          />
        </li>
      </ul>
      <p role="status" className={styles["said"]}>
        {said}
      </p>
    </section>
  );
}
