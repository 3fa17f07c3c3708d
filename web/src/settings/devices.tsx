import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Instant } from "#base";
import { tellRefusal } from "../data/commands.ts";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import { forgetSession } from "../session/session.ts";
import { dateTime } from "../time/format.ts";
import { send } from "../wire/http.ts";
import { words } from "../words.ts";
import styles from "./settings.module.css";

type Device = {
  readonly session_id: string;
  readonly device_name: string;
  readonly created_at: Instant;
  readonly last_seen_at: Instant;
  readonly current: boolean;
};

const KEY = ["sessions"];

/** The one that is looked at, then whoever was here last. */
const ownFirst = (a: Device, b: Device): number =>
  Number(b.current) - Number(a.current) || b.last_seen_at.localeCompare(a.last_seen_at);

/** Who may open this journal, and the way to end it. */
export function Devices(): ReactNode {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async () => {
      const answer = await send<{ readonly sessions: readonly Device[] }>("/sessions", { method: "GET" });
      // That nobody could be asked is no answer.
      return answer.ok ? answer.value.sessions : null;
    },
  });
  const revoke = async (device: Device): Promise<void> => {
    const path = device.current ? "/session" : `/sessions/${encodeURIComponent(device.session_id)}`;
    const answer = await send(path, { method: "DELETE" });
    if (!answer.ok) return tellRefusal(answer.error);
    if (device.current) forgetSession();
    else await client.invalidateQueries({ queryKey: KEY });
  };
  return (
    <section className={styles["card"]}>
      <h2>{words.settings.devices}</h2>
      <p className={styles["hint"]}>{words.settings.devicesHint}</p>
      {data === null && <p className={styles["hint"]}>{words.settings.devicesOffline}</p>}
      <ul className={styles["rows"]}>
        {data?.toSorted(ownFirst).map((device) => (
          <li key={device.session_id}>
            <span>
              <Line text={device.device_name} /> {device.current && <em>{words.settings.thisDevice}</em>}
              <span className={styles["hint"]}>{words.settings.lastSeen(dateTime(device.last_seen_at))}</span>
            </span>
            <Button
              size="small"
              tone="danger"
              aria-label={device.current ? words.settings.signOut : words.settings.revoke(device.device_name)}
              onClick={() => void revoke(device)}
            >
              {device.current ? words.settings.signOut : words.settings.revokeShort}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
