import { CircleDashed, Cog, MonitorSmartphone, SquareTerminal, TriangleAlert } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { ActivityItem } from "#model";
import { Line } from "../parts/text.tsx";
import { clockTime } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./activity.module.css";

type RowProps = { readonly item: ActivityItem; readonly onOpen: (item: ActivityItem) => void };

/** One sentence with its time; pressed, it shows its proof. The rows that are there stay as they are when more come. */
export const ActivityRow = memo(function ActivityRow({ item, onOpen }: RowProps): ReactNode {
  return (
    <button
      type="button"
      className={styles["row"]}
      data-state={item.state}
      data-seq={item.seq}
      title={words.activity.openProof}
      onClick={() => onOpen(item)}
    >
      <time className="mono" dateTime={item.at}>
        {clockTime(item.at)}
      </time>
      <span className={styles["icon"]} aria-hidden>
        <RowIcon item={item} />
      </span>
      <span className={styles["sentence"]}>
        <Line text={item.sentence} />
      </span>
    </button>
  );
});

/** What did not end well is marked; else the picture says who did it. */
function RowIcon({ item }: { readonly item: ActivityItem }): ReactNode {
  if (item.state === "failed") return <TriangleAlert size={15} />;
  if (item.state === "unfinished") return <CircleDashed size={15} />;
  if (item.actor.kind === "owner") return <MonitorSmartphone size={15} />;
  return item.actor.kind === "terminal" ? <SquareTerminal size={15} /> : <Cog size={15} />;
}
