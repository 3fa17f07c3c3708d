import { ChevronsRight } from "lucide-react";
import {
  useEffect,
  useId,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from "react";
import { words } from "../../words.ts";
import type { Approving } from "./primary-button.tsx";
import styles from "./ladder.module.css";

/** Let go here or further, and it is meant. */
const COMMIT_AT = 95;
/** The thumb is this wide; a press elsewhere on the track is no slide. */
const THUMB_PX = 52;

type SliderProps = Pick<Approving, "intent" | "blockedBy"> & {
  readonly onDone: () => void;
  readonly onLeave: () => void;
};

/** What has hold of the slider: a press beside the thumb would jump there, and is no slide. */
type Hold = "nothing" | "thumb" | "track";

/** The platform's own range: it has a keyboard, a name and a value of its own. Short of the end it springs back. */
export function Slider({ intent, blockedBy, onDone, onLeave }: SliderProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const hold = useRef<Hold>("nothing");
  const [value, setValue] = useState(0);
  const helpId = useId();
  useEffect(() => input.current?.focus(), []);
  const grab = (event: PointerEvent<HTMLInputElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    hold.current = isOnThumb(event, value) ? "thumb" : "track";
  };
  const letGo = ({ currentTarget }: PointerEvent<HTMLInputElement>): void => {
    if (hold.current === "thumb" && currentTarget.valueAsNumber >= COMMIT_AT) onDone();
    springBack();
  };
  const springBack = (): void => {
    hold.current = "nothing";
    setValue(0);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "Escape") onLeave();
    if (event.key !== "Enter" || event.repeat) return;
    event.preventDefault();
    if (value >= COMMIT_AT) onDone();
    springBack();
  };
  return (
    <div className={styles["track"]} style={{ "--at": value / 100 } as CSSProperties} data-blocked={blockedBy !== null}>
      <Face />
      <input
        ref={input}
        type="range"
        min={0}
        max={100}
        step={1}
        value={value}
        disabled={blockedBy !== null}
        data-primary=""
        aria-label={words.ladder.slide}
        aria-valuetext={words.ladder.slideValue(intent)}
        aria-describedby={helpId}
        onPointerDown={grab}
        onPointerUp={letGo}
        onPointerCancel={springBack}
        onBlur={springBack}
        onKeyDown={press}
        onChange={({ target }) => {
          if (hold.current !== "track") setValue(target.valueAsNumber);
        }}
      />
      <span id={helpId} className="hidden-visually">
        {words.ladder.slideHelp}
      </span>
    </div>
  );
}

/** What is seen; the range itself is transparent above it. */
function Face(): ReactNode {
  return (
    <>
      <span className={styles["fill"]} aria-hidden />
      <span className={styles["label"]} aria-hidden>
        {words.ladder.slide}
      </span>
      <span className={styles["thumb"]} aria-hidden>
        <ChevronsRight size={24} />
      </span>
    </>
  );
}

function isOnThumb({ currentTarget, clientX }: PointerEvent<HTMLInputElement>, value: number): boolean {
  const { left, width } = currentTarget.getBoundingClientRect();
  const centre = left + THUMB_PX / 2 + ((width - THUMB_PX) * value) / 100;
  return Math.abs(clientX - centre) <= THUMB_PX;
}
