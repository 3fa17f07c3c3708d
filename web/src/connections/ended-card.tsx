import { CircleCheck, CircleSlash2 } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import type { ConnectionViewBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import cards from "../review/card/card.module.css";
import { announce } from "../ui-state.ts";
import { connectionWords as said } from "../words/connection-words.ts";
import { words } from "../words.ts";

type EndedProps = { readonly view: ConnectionViewBody; readonly onDismiss: () => void };

/** How a setup that was shown here ended, wherever it was ended. */
export function EndedCard({ view, onDismiss }: EndedProps): ReactNode {
  const { status, name, connection_id: id } = view.record;
  const text = said.ended[status](name);
  useEffect(() => announce(text), [text]);
  return (
    <article className={cards["card"]} data-card-type="connection_ended" data-connection={id} data-state={status}>
      <div className={cards["settled"]} role="status">
        <p className={cards["outcome"]}>
          {status === "active" ? <CircleCheck size={20} aria-hidden /> : <CircleSlash2 size={20} aria-hidden />}
          <Line text={text} />
        </p>
        {view.summary !== null && (
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
