import { CircleCheck, CircleSlash2 } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import type { ConnectionViewBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import cards from "../review/card/card.module.css";
import { announce } from "../ui-state.ts";
import { connectionWords as said } from "../words/connection-words.ts";
import { words } from "../words.ts";

type EndedProps = {
  readonly view: ConnectionViewBody;
  /** What it had when it was to be given more; null for a setup. */
  readonly had: readonly string[] | null;
  readonly onDismiss: () => void;
};

/** How a setup that was shown here ended, wherever it was ended. */
export function EndedCard({ view, had, onDismiss }: EndedProps): ReactNode {
  const { status, name, connection_id: id } = view.record;
  const text = had === null || status !== "active" ? said.ended[status](name) : widerWords(view, had);
  useEffect(() => announce(text), [text]);
  return (
    <article className={cards["card"]} data-card-type="connection_ended" data-connection={id} data-state={status}>
      <div className={cards["settled"]} role="status">
        <p className={cards["outcome"]}>
          {status === "active" ? <CircleCheck size={20} aria-hidden /> : <CircleSlash2 size={20} aria-hidden />}
          <Line text={text} />
        </p>
        {view.summary !== null && had === null && (
          <p>
            <Line text={view.summary} />
          </p>
        )}
        <div className={cards["after"]}>
          <Button onClick={onDismiss}>{words.actions.close}</Button>
        </div>
      </div>
    </article>
  );
}

/** For good it has more than before; just this once, or not at all, it is as it was. [PERM-04] [PERM-05] */
function widerWords({ record }: ConnectionViewBody, had: readonly string[]): string {
  const granted = record.permissions_granted;
  return granted.length > had.length ? said.endedWider(record.name, granted) : said.endedAsItWas(record.name);
}
