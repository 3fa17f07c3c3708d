import "../styles/serif.css";
import { useState, type ReactNode } from "react";
import type { ActivityItem, Acting } from "#model";
import { Button } from "../parts/button.tsx";
import { ByDay } from "../parts/by-day.tsx";
import { Empty, Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { Running } from "../work/running.tsx";
import { words } from "../words.ts";
import { instantAt } from "../time/clock.ts";
import { dateTime } from "../time/format.ts";
import { useActivity, useChain } from "./activity-reads.ts";
import { ActivityRow } from "./activity-row.tsx";
import styles from "./activity.module.css";
import { summaryOf, useAway } from "./away.ts";
import { ChainBadge } from "./chain-badge.tsx";
import { groupRuns, type ActivityGroup } from "./group-runs.ts";
import { ProofSheet } from "./proof-sheet.tsx";

type Who = Acting["kind"] | "all";

/** What was done here, told from the audit chain, newest first; each line opens its proof. [PWA-12] */
export function Activity(): ReactNode {
  const [who, setWho] = useState<Who>("all");
  const [opened, setOpened] = useState<ActivityItem | null>(null);
  const read = useActivity();
  const isKept = read.keptAtMs !== null;
  const isAnswered = !isKept && (read.data !== undefined || read.error !== null);
  // Also asked when the entries cannot be read: a damaged one may be why.
  const [extent, setExtent] = useState<"since_checkpoint" | "whole">("since_checkpoint");
  const { chain, hasFailed } = useChain(isAnswered ? (read.data?.[0]?.seq ?? 0) : null, extent);
  // What a model asks for, Silas had it asked for.
  const items = read.data?.filter(
    ({ actor }) => who === "all" || (actor.kind === "model" ? "system" : actor.kind) === who,
  );
  return (
    <Page title={words.surfaces.activity} width="text">
      <p className={styles["lead"]}>{words.activity.lead}</p>
      {(read.data !== undefined || chain !== undefined) && (
        <ChainBadge
          chain={isKept ? undefined : chain}
          standing={isKept ? "kept" : hasFailed ? "failed" : "asked"}
          extent={extent}
          onWhole={() => setExtent("whole")}
        />
      )}
      <KeptNotice atMs={read.keptAtMs} />
      <Away items={read.data ?? NOTHING} hasMore={read.hasMore} />
      <Running />
      {read.error !== null && <Failure error={read.error} onRetry={read.retry} />}
      {items === undefined && read.error === null && <Skeleton label={words.surfaces.activity} />}
      {read.data?.length === 0 && <Empty text={words.activity.empty} />}
      {read.data !== undefined && read.data.length > 0 && <WhoChips who={who} onChoose={setWho} />}
      {items?.length === 0 && read.data?.length !== 0 && <Empty text={words.activity.noneOf} />}
      {items !== undefined && (
        <ByDay
          rows={groupRuns(items)}
          momentOf={({ head }) => head.at}
          renderRow={(group) => <Group key={group.head.seq} group={group} onOpen={setOpened} />}
        />
      )}
      {read.hasMore && <Button onClick={read.more}>{words.activity.earlier}</Button>}
      {opened !== null && (
        <ProofSheet item={opened} last={chain?.ok === true ? chain.head.seq : null} onClose={() => setOpened(null)} />
      )}
    </Page>
  );
}

const NOTHING: readonly ActivityItem[] = [];

type GroupProps = { readonly group: ActivityGroup; readonly onOpen: (item: ActivityItem) => void };

/** How it stands, and under it what came before of the same run. */
function Group({ group: { head, rest }, onOpen }: GroupProps): ReactNode {
  return (
    <li>
      <ActivityRow item={head} onOpen={onOpen} />
      {rest.length > 0 && (
        <ol className={styles["run"]} aria-label={words.activity.ofRun(rest.length)}>
          {rest.map((item) => (
            <li key={item.seq}>
              <ActivityRow item={item} onOpen={onOpen} />
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}

type AwayProps = { readonly items: readonly ActivityItem[]; readonly hasMore: boolean };

/** After an hour without anybody here: how much happened, and how much of it did not end well. */
function Away({ items, hasMore }: AwayProps): ReactNode {
  const sinceMs = useAway((state) => state.sinceMs);
  const summary = sinceMs === null ? null : summaryOf(items, sinceMs);
  if (sinceMs === null || summary === null) return null;
  const isAll = !hasMore || summary.count < items.length;
  return (
    <p className={styles["away"]} data-testid="away">
      <strong>{words.activity.away(dateTime(instantAt(sinceMs)))}</strong>{" "}
      {words.activity.awayBody({ ...summary, isAll })}
    </p>
  );
}

const CHOICES: readonly Who[] = ["all", "owner", "terminal", "system"];

function WhoChips({ who, onChoose }: { readonly who: Who; readonly onChoose: (who: Who) => void }): ReactNode {
  return (
    <div className={styles["chips"]} role="group" aria-label={words.activity.who}>
      {CHOICES.map((each) => (
        <button
          key={each}
          type="button"
          className={styles["chip"]}
          aria-pressed={who === each}
          onClick={() => onChoose(each)}
        >
          {each === "all" ? words.activity.all : words.activity.by[each]}
        </button>
      ))}
    </div>
  );
}
