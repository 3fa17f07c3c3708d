import { useEffect, useState } from "react";
import { instantFromMs, type Instant, type LocalDate, type LocalTime } from "#base";

/** The page's own clock and zone: the one place that reads them. */
export function instantAt(ms: number): Instant {
  const result = instantFromMs(Math.round(ms));
  if (!result.ok) throw new RangeError(result.error.code);
  return result.value;
}
export const nowInstant = (): Instant => instantAt(Date.now());

const two = (value: number): string => String(value).padStart(2, "0");

export function localDateOf(moment: Date): LocalDate {
  return `${String(moment.getFullYear()).padStart(4, "0")}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}` as LocalDate;
}
export const localTimeOf = (moment: Date): LocalTime =>
  `${two(moment.getHours())}:${two(moment.getMinutes())}` as LocalTime;
export const today = (): LocalDate => localDateOf(new Date());

/** What this zone is called, such as Europe/Vienna. */
export const zoneHere = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The moment a wall clock in this zone shows `time` on `date`; 24:00 is the next midnight. */
export function momentOf(date: LocalDate | string, minutes: number): Date {
  const [year = 1970, month = 1, day = 1] = date.split("-").map(Number);
  return new Date(year, month - 1, day, 0, minutes);
}
export const instantOf = (date: LocalDate | string, minutes: number): Instant =>
  instantAt(momentOf(date, minutes).getTime());

export const minutesOfTime = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
};
export const timeOfMinutes = (minutes: number): LocalTime =>
  `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}` as LocalTime;

/** A moment as this zone's wall shows it, to the minute, and back. */
export const wallOf = (instant: Instant): string => {
  const moment = new Date(instant);
  return `${localDateOf(moment)}T${localTimeOf(moment)}`;
};
export const instantOfWall = (wall: string): Instant => instantOf(wall.slice(0, 10), minutesOfTime(wall.slice(11)));

/** Minutes after the start of `date` on the wall clock; outside 0..1440 when the moment is on another day. */
export function minutesInto(date: LocalDate, instant: Instant): number {
  const moment = new Date(instant);
  const days = Math.round((momentOf(localDateOf(moment), 0).getTime() - momentOf(date, 0).getTime()) / 86_400_000);
  return days * 1440 + moment.getHours() * 60 + moment.getMinutes();
}

/** The current moment, renewed every `everyMs`; still while the page is hidden. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = (): void => {
      if (document.visibilityState === "visible") setNow(Date.now());
    };
    const timer = setInterval(tick, everyMs);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [everyMs]);
  return now;
}

/** Today where the owner is; changes at midnight while the page stays open. */
export function useToday(): LocalDate {
  return localDateOf(new Date(useNow(30_000)));
}
