import type { ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/command.tsx";
import { Empty, Failure, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { talkWords } from "../words/talk-words.ts";
import { words } from "../words.ts";
import { Composer } from "./composer.tsx";
import { Exchange } from "./exchange.tsx";
import { answeredNow, useModel, useTalk } from "./talk-reads.ts";
import styles from "./talk.module.css";
import { useAtEnd } from "./use-at-end.ts";

/** The conversation: what was said, what was answered, and what waits for a decision because of it. */
export function Talk(): ReactNode {
  return (
    <Page title={words.surfaces.talk} width="text">
      <Standing />
      <Conversation />
      <End />
    </Page>
  );
}

/** The composer, and the end of the conversation in sight while an answer is written. */
function End(): ReactNode {
  const { data } = useTalk();
  const answering = answeredNow(data?.turns ?? []);
  const { isAtEnd, toEnd } = useAtEnd({ isWriting: answering !== null });
  return (
    <>
      {answering !== null && !isAtEnd && (
        <div className={styles["latest"]}>
          <Button onClick={toEnd}>{talkWords.latest}</Button>
        </div>
      )}
      <Composer answering={answering} />
    </>
  );
}

/** Who answers, before anybody asks. */
function Standing(): ReactNode {
  const model = useModel();
  if (model !== null)
    return <p className={styles["standing"]}>{talkWords.answersBy(`${model.name} (${model.host})`)}</p>;
  return (
    <div className={styles["standing"]}>
      <p>{talkWords.noModel}</p>
      <p>{talkWords.noModelHelp}</p>
      <Command text={talkWords.noModelCommand} />
    </div>
  );
}

function Conversation(): ReactNode {
  const { data, error, retry } = useTalk();
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (data === undefined) return <Skeleton label={talkWords.loading} />;
  if (data.messages.length === 0) return <Empty text={talkWords.empty} />;
  const turnsById = new Map(data.turns.map((turn) => [turn.message_id as string, turn]));
  return (
    <>
      {data.next_before !== null && <p className={styles["note"]}>{talkWords.older}</p>}
      <ol className={styles["list"]} data-testid="talk">
        {data.messages.toReversed().map((message) => (
          <Exchange key={message.message_id} message={message} turn={turnsById.get(message.message_id) ?? null} />
        ))}
      </ol>
    </>
  );
}
