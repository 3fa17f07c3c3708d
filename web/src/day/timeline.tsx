import { Plus } from "lucide-react";
import { useState, type MouseEvent, type ReactNode } from "react";
import type { DayView, RecordOf } from "#model";
import { Button } from "../parts/button.tsx";
import { minutesInto, useNow, localDateOf } from "../time/clock.ts";
import { clockOfMinutes } from "../time/format.ts";
import { words } from "../words.ts";
import { BlockEditor, type BlockDraft } from "./block-editor.tsx";
import { Block } from "./block.tsx";
import styles from "./timeline.module.css";
import { HOUR_PX, placeInLanes, snap } from "./lanes.ts";

const FIRST_HOUR = 6;

type TimelineProps = { readonly day: DayView };

/** The hours of a day with its blocks. A press on a free place plans there; the keyboard does all of it too. */
export function Timeline({ day }: TimelineProps): ReactNode {
  const [draft, setDraft] = useState<BlockDraft | null>(null);
  const blocks = day.blocks.map((block) => ({ block, ...stretchOf(day, block) }));
  const firstHour = Math.min(FIRST_HOUR, ...blocks.map(({ start }) => Math.floor(start / 60)));
  const offset = firstHour * 60;
  const startNew = (start: number): void =>
    setDraft({ id: null, taskId: null, categoryId: null, note: "", start, end: Math.min(1440, start + 60) });
  const onPress = (event: MouseEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget) return;
    const { top } = event.currentTarget.getBoundingClientRect();
    startNew(Math.min(1425, offset + Math.floor((event.clientY - top) / (HOUR_PX / 2)) * 30));
  };
  return (
    <section className={styles["timeline"]} aria-label={words.day.timeline}>
      <div className={styles["head"]}>
        <h2>{words.day.timeline}</h2>
        <Button size="small" onClick={() => startNew(snap(9 * 60))}>
          <Plus size={16} aria-hidden /> {words.day.addBlock}
        </Button>
      </div>
      <p className={styles["help"]} id="block-help">
        {blocks.length === 0 ? (
          words.day.noBlocks
        ) : (
          <>
            <span data-for="keys">{words.day.blockHelp}</span>
            <span data-for="touch">{words.day.blockHelpTouch}</span>
          </>
        )}
      </p>
      <div className={styles["hours"]} style={{ height: ((1440 - offset) / 60) * HOUR_PX }}>
        {Array.from({ length: 24 - firstHour }, (_, index) => (
          <div key={index} className={styles["hour"]} style={{ top: index * HOUR_PX }}>
            <span className="mono">{clockOfMinutes((firstHour + index) * 60)}</span>
          </div>
        ))}
        {/* A short way for the pointer only; the button above does the same for everyone. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
        <div className={styles["field"]} onClick={onPress} data-testid="free-hours">
          {placeInLanes(blocks).map((placed) => (
            <Block key={placed.block.id} day={day} placed={placed} offset={offset} onEdit={setDraft} />
          ))}
        </div>
        <NowLine day={day} offset={offset} />
      </div>
      {draft !== null && <BlockEditor day={day} draft={draft} onClose={() => setDraft(null)} />}
    </section>
  );
}

function stretchOf(day: DayView, { body }: RecordOf<"planBlock">): { readonly start: number; readonly end: number } {
  const start = Math.max(0, minutesInto(day.date, body.startTime));
  return { start, end: Math.min(1440, Math.max(start + 5, minutesInto(day.date, body.endTime))) };
}

function NowLine({ day, offset }: TimelineProps & { readonly offset: number }): ReactNode {
  const now = new Date(useNow(30_000));
  const minutes = now.getHours() * 60 + now.getMinutes();
  if (localDateOf(now) !== day.date || minutes < offset) return null;
  return <div className={styles["now"]} style={{ top: ((minutes - offset) / 60) * HOUR_PX }} aria-hidden />;
}
