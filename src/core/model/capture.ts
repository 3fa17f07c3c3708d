import { addDays, err, isoWeekday, isWellFormed, LIMITS, ok, type LocalDate, type LocalTime, type Result } from "#base";
import { showDate } from "./capture/calendar.ts";
import { matchDate } from "./capture/dates.ts";
import { matchName, matchPriority, matchRepeat, showRepeat } from "./capture/marks.ts";
import { matchEstimate, matchTime, showMinutes } from "./capture/times.ts";
import { splitWords, type Match, type Word } from "./capture/words.ts";
import type { CommandOf } from "./journal-commands.ts";
import type { InvalidInput } from "./journal-errors.ts";
import type { Repeat } from "./journal-records.ts";

type ChipValues = {
  readonly date: LocalDate;
  readonly time: LocalTime;
  readonly label: string;
  readonly category: string;
  readonly priority: number;
  readonly estimate: number;
  readonly repeat: Repeat;
};
type ChipKind = keyof ChipValues;

/** A part of a captured line that was understood. `start` and `end` are where it stands in the text. */
export type Chip = {
  [K in ChipKind]: {
    readonly kind: K;
    /** Names this chip while the text around it changes; given back as `ignored`, its words stay in the title. */
    readonly key: string;
    readonly label: string;
    readonly start: number;
    readonly end: number;
    readonly value: ChipValues[K];
  };
}[ChipKind];

export type CaptureContext = {
  readonly today: LocalDate;
  readonly now: LocalTime;
  /** Keys of chips the owner took away. */
  readonly ignored?: readonly string[];
};

export type Captured = {
  readonly title: string;
  readonly chips: readonly Chip[];
  /** What stands below the first line: list points become checklist items, the rest is notes. */
  readonly items: readonly string[];
  readonly notes: string;
  /** When it is due, worked out from date, time and repetition together. */
  readonly dueDate: LocalDate | null;
  readonly dueTime: LocalTime | null;
};

/** Reads a task as a person types it. Deterministic, local, and never refuses: what is not understood is the title. */
export function parseCapture(text: string, context: CaptureContext): Captured {
  const { line, start, rest } = firstLine(text);
  const words = splitWords(line);
  const chips = chosen(candidates(words, context));
  const taken = new Set(chips.flatMap(({ from, to }) => words.slice(from, to)));
  const title = words.filter((word) => !taken.has(word)).map((word) => word.text);
  const shown = chips.map(({ chip }) => ({ ...chip, start: chip.start + start, end: chip.end + start }));
  return { title: title.join(" "), chips: shown, ...below(rest), ...dueOf(shown, context) };
}

/** The command that saves it. Only a text without any title, or beyond every limit, is no task. */
export function captureToCommand(captured: Captured): Result<CommandOf<"task.create">, InvalidInput> {
  const { title, chips, items, dueDate, dueTime } = captured;
  if (title === "") return err({ code: "invalid_input", path: "title", reason: "blank_text" });
  // A title too long to be one stays whole in the notes.
  const short = title.length > LIMITS.titleChars ? cut(title) : title;
  const notes = [...(short === title ? [] : [title]), ...(captured.notes === "" ? [] : [captured.notes])].join("\n\n");
  if (notes.length > LIMITS.textChars) return err({ code: "invalid_input", path: "notes", reason: "too_long" });
  if (!isWellFormed(title + notes + items.join(""))) {
    return err({ code: "invalid_input", path: "title", reason: "invalid_text" });
  }
  const categoryName = valueOf(chips, "category");
  const labelNames = chips.flatMap((chip) => (chip.kind === "label" ? [chip.value] : []));
  const priority = valueOf(chips, "priority");
  const estimateMinutes = valueOf(chips, "estimate");
  const repeat = valueOf(chips, "repeat");
  return ok({
    kind: "task.create",
    title: short,
    ...(notes === "" ? {} : { notes }),
    ...(dueDate === null ? {} : { dueDate }),
    ...(dueTime === null ? {} : { dueTime }),
    ...(priority === undefined ? {} : { priority }),
    ...(estimateMinutes === undefined ? {} : { estimateMinutes }),
    ...(repeat === undefined ? {} : { repeat }),
    ...(categoryName === undefined ? {} : { categoryName }),
    ...(labelNames.length === 0 ? {} : { labelNames: [...new Set(labelNames)] }),
    ...(items.length === 0 ? {} : { items: [...items] }),
  });
}

/** A chip and the words it is made of. `needs` is the date a bare number of hours hangs on. */
type Candidate = { readonly chip: Chip; readonly from: number; readonly to: number; readonly needs: Chip | null };

function candidates(words: readonly Word[], context: CaptureContext): readonly Candidate[] {
  const ignored = new Set(context.ignored);
  const seen = new Map<string, number>();
  const found: Candidate[] = [];
  for (let at = 0; at < words.length;) {
    const last = found.at(-1);
    const date = last?.to === at && last.chip.kind === "date" ? last.chip : null;
    const match = matchAt(words, { at, isAfterDate: date !== null, context });
    if (match === null) {
      at += 1;
      continue;
    }
    const to = at + match.count;
    const source = words.slice(at, to).map((word) => word.plain);
    const name = `${match.chip.kind}:${source.join(" ")}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const key = times === 1 ? name : `${name} (${times})`;
    const range = { key, start: words[at]?.start ?? 0, end: words[to - 1]?.end ?? 0 };
    const chip: Chip = { ...match.chip, ...range };
    const needs = chip.kind === "time" ? date : null;
    if (!ignored.has(key)) found.push({ chip, from: at, to, needs });
    at = to;
  }
  return found;
}

/** A chip that does not know its place yet. */
type Unplaced = {
  [K in ChipKind]: { readonly kind: K; readonly label: string; readonly value: ChipValues[K] };
}[ChipKind];
type Place = { readonly at: number; readonly isAfterDate: boolean; readonly context: CaptureContext };

function matchAt(
  words: readonly Word[],
  { at, isAfterDate, context }: Place,
): { readonly count: number; readonly chip: Unplaced } | null {
  const { today } = context;
  const as = <V>(match: Match<V> | null, chip: (value: V) => Unplaced) =>
    match === null ? null : { count: match.count, chip: chip(match.value) };
  return (
    as(matchName(words[at], "#"), (value) => ({ kind: "label", label: `#${value}`, value })) ??
    as(matchName(words[at], "@"), (value) => ({ kind: "category", label: `@${value}`, value })) ??
    as(matchPriority(words[at]), (value) => ({ kind: "priority", label: `Priority ${value}`, value })) ??
    as(matchRepeat(words, at), (value) => ({ kind: "repeat", label: showRepeat(value), value })) ??
    as(matchDate(words, { at, today }), (value) => ({ kind: "date", label: showDate(value, today), value })) ??
    as(matchTime(words, { at, isAfterDate }), (value) => ({ kind: "time", label: value, value })) ??
    as(matchEstimate(words, at), (value) => ({ kind: "estimate", label: showMinutes(value), value }))
  );
}

// A task has one of each but labels. The last one counts, since people add such words at the end: in "send Monday
// report tomorrow" the title keeps its Monday.
function chosen(found: readonly Candidate[]): readonly Candidate[] {
  const lastOf = new Map(found.map((candidate) => [candidate.chip.kind, candidate]));
  const labels = found.filter(({ chip }) => chip.kind === "label").slice(0, LIMITS.labelsPerTask);
  const kept = new Set([...labels, ...[...lastOf.values()].filter(({ chip }) => chip.kind !== "label")]);
  const isHanging = ({ needs }: Candidate) => needs !== null && needs !== lastOf.get("date")?.chip;
  return found.filter((candidate) => kept.has(candidate) && !isHanging(candidate));
}

function valueOf<K extends ChipKind>(chips: readonly Chip[], kind: K): ChipValues[K] | undefined {
  return chips.find((chip) => chip.kind === kind)?.value as ChipValues[K] | undefined;
}

type Due = Pick<Captured, "dueDate" | "dueTime">;

// A time alone means the next time the clock shows it; a repetition alone begins on its first day.
function dueOf(chips: readonly Chip[], { today, now }: CaptureContext): Due {
  const dueTime = valueOf(chips, "time") ?? null;
  const date = valueOf(chips, "date");
  if (date !== undefined) return { dueDate: date, dueTime };
  const first = dueTime !== null && dueTime <= now ? addDays(today, 1) : today;
  const repeat = valueOf(chips, "repeat");
  if (repeat !== undefined) return { dueDate: firstOf(repeat, first), dueTime };
  return { dueDate: dueTime === null ? null : first, dueTime };
}

function firstOf({ weekdays }: Repeat, from: LocalDate): LocalDate {
  const days = [0, 1, 2, 3, 4, 5, 6].map((offset) => addDays(from, offset));
  return days.find((day) => weekdays.includes(isoWeekday(day))) ?? from;
}

function firstLine(text: string): { readonly line: string; readonly start: number; readonly rest: string } {
  const start = text.search(/\S/);
  if (start < 0) return { line: "", start: 0, rest: "" };
  const end = text.indexOf("\n", start);
  return end === -1
    ? { line: text.slice(start), start, rest: "" }
    : { line: text.slice(start, end), start, rest: text.slice(end + 1) };
}

const POINT = /^\s{0,20}[-*•]\s+(?:\[ ?\]\s+)?(\S.*)$/;

// Points that would not fit as items stay readable in the notes: nothing that was typed is lost.
function below(rest: string): Pick<Captured, "items" | "notes"> {
  const items: string[] = [];
  const notes: string[] = [];
  for (const line of rest === "" ? [] : rest.split("\n")) {
    const item = line.length > LIMITS.titleChars ? undefined : POINT.exec(line)?.[1]?.trim();
    if (item !== undefined && item !== "" && items.length < LIMITS.recordsPerCommand) items.push(item);
    else notes.push(line);
  }
  return { items, notes: notes.join("\n").trim() };
}

// At a space where there is one in the last third, and never inside a character.
function cut(title: string): string {
  const head = title.slice(0, LIMITS.titleChars);
  const space = head.lastIndexOf(" ");
  const short = space > LIMITS.titleChars * 0.67 ? head.slice(0, space) : head;
  return isWellFormed(short) ? short : short.slice(0, -1);
}
