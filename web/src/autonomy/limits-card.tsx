import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { Instant } from "#base";
import type { AutonomyViewBody } from "#model";
import { Button } from "../parts/button.tsx";
import { invalidateReview } from "../review/review-reads.ts";
import settings from "../settings/settings.module.css";
import { dateTime } from "../time/format.ts";
import { send } from "../wire/http.ts";
import { limitWords } from "../words/limit-words.ts";
import { words } from "../words.ts";
import { tightenApprovals, type TightenFailure } from "./tighten.ts";

const KEY = ["review", "autonomy"] as const;

/** How far Silas goes without asking, what changed that, and the one tap that takes it back. */
export function LimitsCard(): ReactNode {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: () => send<AutonomyViewBody>("/api/autonomy", { method: "GET" }),
  });
  const [isBusy, setIsBusy] = useState(false);
  const [said, setSaid] = useState("");
  const [refusal, setRefusal] = useState<string | null>(null);
  if (data === undefined || !data.ok) return null;
  const tighten = async (): Promise<void> => {
    setIsBusy(true);
    setRefusal(null);
    const answer = await tightenApprovals(null);
    setSaid(answer.ok ? limitWords.tightened(answer.value.limits) : "");
    if (!answer.ok) setRefusal(refusalWords(answer.error));
    await Promise.all([client.invalidateQueries({ queryKey: KEY }), invalidateReview()]);
    setIsBusy(false);
  };
  const { limits, evidence, is_widened: isWidened } = data.value;
  return (
    <section id="limits" className={settings["card"]} aria-labelledby="limits-heading">
      <h2 id="limits-heading">{limitWords.heading}</h2>
      <p className={settings["hint"]}>{limitWords.lead}</p>
      <ul className={settings["rows"]}>
        {limits.map((limit) => (
          <Limit key={limit.key} limit={limit} />
        ))}
      </ul>
      <p className={settings["hint"]}>{limitWords.counted(evidence, data.value)}</p>
      {refusal !== null && <p role="alert">{refusal}</p>}
      <p role="status" className={settings["said"]}>
        {isBusy ? limitWords.tightening : said}
      </p>
      {isWidened ? (
        <Button disabled={isBusy} onClick={() => void tighten()}>
          {limitWords.tighten}
        </Button>
      ) : (
        <p className={settings["hint"]}>{limitWords.nothingWidened}</p>
      )}
    </section>
  );
}

function Limit({ limit }: { readonly limit: AutonomyViewBody["limits"][number] }): ReactNode {
  const { key, value, configured, changed_at: at, state } = limit;
  const when = at === null ? "" : dateTime(at as Instant);
  return (
    <li data-limit={key} data-state={state}>
      <span>
        {limitWords.names[key]}: <strong>{limitWords.value(key, value)}</strong>
        <span className={settings["hint"]}>
          {limitWords.state[state]({ when, configured: limitWords.value(key, configured) })}
        </span>
      </span>
    </li>
  );
}

function refusalWords(error: TightenFailure): string {
  if ("message" in error && error.message !== "") return error.message;
  if (error.code === "not_tightening") return limitWords.notTightening;
  return words.signFailures[error.code as keyof typeof words.signFailures] ?? words.signFailures.other;
}
