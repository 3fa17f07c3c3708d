import { Plus } from "lucide-react";
import { useLayoutEffect, useRef, useState, type MouseEvent, type ReactNode, type RefObject } from "react";
import type { DayView, RecordOf } from "#model";
import { Button } from "../parts/button.tsx";
import { localDateOf, minutesInto, useNow } from "../time/clock.ts";
import { hourLabel } from "../time/format.ts";
import { words } from "../words.ts";
import { BlockEditor, type BlockDraft } from "./block-editor.tsx";
import { Block } from "./block.tsx";
import styles from "./timeline.module.css";
import { HOUR_PX, placeInLanes, snap } from "./lanes.ts";

/** Where an empty day is opened. */
const MORNING = 8 * 60;

type TimelineProps = { readonly day: DayView };

/** The hours of a day with its blocks. A press on a free place plans there; the keyboard does all of it too. */
export function Timeline({ day }: TimelineProps): ReactNode {
  const [draft, setDraft] = useState<BlockDraft | null>(null);
  const blocks = day.blocks.map((block) => ({ block, ...stretchOf(day, block) }));
  const box = useOpenedAt(day, blocks[0]?.start ?? MORNING);
  const startNew = (start: number): void =>
    setDraft({ id: null, taskId: null, categoryId: null, note: "", start, end: Math.min(1440, start + 60) });
  const onPress = (event: MouseEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget) return;
    const { top } = event.currentTarget.getBoundingClientRect();
    startNew(Math.min(1425, Math.floor((event.clientY - top) / (HOUR_PX / 2)) * 30));
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
      {/* What scrolls must be reachable by keys also on a day without blocks. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles["box"]} ref={box} tabIndex={0} role="group" aria-label={words.day.hours}>
        <div className={styles["hours"]} style={{ height: 24 * HOUR_PX }}>
          {Array.from({ length: 24 }, (_, hour) => (
            <div key={hour} className={styles["hour"]} style={{ top: hour * HOUR_PX }}>
              <span className="mono">{hourLabel(hour)}</span>
            </div>
          ))}
          {/* A short way for the pointer only; the button above does the same for everyone. */}
          {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
          <div className={styles["field"]} onClick={onPress} data-testid="free-hours">
            {placeInLanes(blocks).map((placed) => (
              <Block key={placed.block.id} day={day} placed={placed} onEdit={setDraft} />
            ))}
          </div>
          <NowLine day={day} />
        </div>
      </div>
      {draft !== null && <BlockEditor day={day} draft={draft} onClose={() => setDraft(null)} />}
    </section>
  );
}

function stretchOf(day: DayView, { body }: RecordOf<"planBlock">): { readonly start: number; readonly end: number } {
  const start = Math.max(0, minutesInto(day.date, body.startTime));
  return { start, end: Math.min(1440, Math.max(start + 5, minutesInto(day.date, body.endTime))) };
}

/** Opens the hours where something is: at the present on this very day, else at the first block. */
function useOpenedAt(day: DayView, first: number): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const { date } = day;
  const target = useRef(first);
  useLayoutEffect(() => {
    target.current = first;
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const now = new Date();
    const minutes = localDateOf(now) === date ? minutesOf(now) : target.current;
    element.scrollTop = (minutes / 60) * HOUR_PX - Math.min(HOUR_PX, element.clientHeight / 4);
  }, [date]);
  return box;
}

const minutesOf = (moment: Date): number => moment.getHours() * 60 + moment.getMinutes();

function NowLine({ day }: TimelineProps): ReactNode {
  const now = new Date(useNow(30_000));
  if (localDateOf(now) !== day.date) return null;
  return (
    <div className={styles["now"]} style={{ top: (minutesOf(now) / 60) * HOUR_PX }} data-testid="now" aria-hidden />
  );
}
