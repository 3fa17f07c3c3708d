import type { ReactNode } from "react";
import { modeWords } from "#model";
import { useJournal } from "../data/reads.ts";
import { JOURNAL_FIRST_PAGE } from "../journal/first-page.ts";
import { Failure, KeptNotice, Skeleton } from "../parts/states.tsx";
import { Line } from "../parts/text.tsx";
import { DecisionStub } from "../review/stub.tsx";
import { Page } from "../shell/page.tsx";
import { useModel } from "../talk/talk-reads.ts";
import { useToday } from "../time/clock.ts";
import { longDate } from "../time/format.ts";
import { RunningLine } from "../work/running-line.tsx";
import { words } from "../words.ts";
import { Abilities } from "./abilities.tsx";
import styles from "./home.module.css";
import { StartChips } from "./start-chips.tsx";
import { Summary } from "./summary.tsx";

/** The first screen: what Silas can do before anything was written, how today stands afterwards. */
export function Home(): ReactNode {
  const today = useToday();
  const counts = useJournal({ kind: "counts", today });
  const timeline = useJournal(JOURNAL_FIRST_PAGE);
  const failed = counts.error ?? timeline.error;
  if (failed !== null) {
    return (
      <Page title={words.surfaces.home}>
        <Failure error={failed} onRetry={counts.retry} />
      </Page>
    );
  }
  if (counts.data === undefined || timeline.data === undefined) {
    return (
      <Page title={longDate(today)}>
        <Skeleton label={words.tasks.loading} />
      </Page>
    );
  }
  const { open, done, archived } = counts.data;
  const isFirst = open + done + archived === 0 && timeline.data.rows.length === 0;
  return isFirst ? (
    <Page title={words.home.hello}>
      <Lead />
      <DecisionStub />
      <RunningLine />
      <StartChips isFirst />
      <Abilities />
    </Page>
  ) : (
    <Page title={longDate(today)} aside={<StartChips isFirst={false} />}>
      <KeptNotice atMs={counts.keptAtMs} />
      <DecisionStub />
      <RunningLine />
      <Summary today={today} timeline={timeline.data.rows} />
    </Page>
  );
}

/** Says what leaves the machine as it is set up now. */
function Lead(): ReactNode {
  const model = useModel();
  const text = model === null ? words.home.lead : words.home.leadWith(modeWords(model));
  return (
    <p className={styles["lead"]}>
      <Line text={text} />
    </p>
  );
}
