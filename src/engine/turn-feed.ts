import { LIMITS } from "#base";
import { joinDelta, type TurnDelta, type TurnNews } from "#model";
import type { Log, Timers, TurnFeed } from "#ports";
import { createAlarm, type Alarm } from "./alarm.ts";

/** The publishing side of the feed. Only the conversation holds it. */
export interface TurnPublisher extends TurnFeed {
  publish(delta: TurnDelta): void;
  /** A gate needs the whole reply: no delta is published before the turn has ended. */
  held(messageId: string): void;
  /** The turn is stored, however it ended. */
  ended(messageId: string): void;
}

/** Text that gathers this long goes out as one delta: a model may say hundreds of words in a second, one at a time. */
const GATHER_MS = 40;

/** The alarm rings while text is gathered. */
type Flight = { text: string; toldChars: number; isHeld: boolean; readonly alarm: Alarm };

/**
 * Carries replies to readers while they are written. It keeps the text so far of turns in flight, so that a reader who
 * comes later has it whole. A listener that throws is logged and harms neither the publisher nor other listeners.
 */
export function createTurnFeed({ timers, log }: { readonly timers: Timers; readonly log: Log }): TurnPublisher {
  const listeners = new Set<(news: TurnNews) => void>();
  const tell = (listener: (news: TurnNews) => void, news: TurnNews): void => {
    try {
      listener(news);
    } catch (cause) {
      log.error("turn_listener_failed", { cause });
    }
  };
  const tellAll = (news: TurnNews): void => {
    for (const listener of listeners) tell(listener, news);
  };
  const { flights, flightOf, flush, gather } = createFlights(timers, tellAll);
  return {
    publish(delta) {
      const { messageId } = delta;
      const soFar = flights.get(messageId)?.text ?? "";
      const text = joinDelta(soFar, delta);
      if (text.length === soFar.length) return;
      const flight = flightOf(messageId);
      flight.text = text;
      gather(messageId, flight);
    },
    held(messageId) {
      flightOf(messageId).isHeld = true;
      tellAll({ kind: "held", messageId });
    },
    ended(messageId) {
      const flight = flights.get(messageId);
      flight?.alarm.cancel();
      if (flight !== undefined) flush(messageId, flight);
      flights.delete(messageId);
      tellAll({ kind: "ended", messageId });
    },
    subscribe(listener) {
      for (const [messageId, { text, toldChars, isHeld }] of flights) {
        if (isHeld) tell(listener, { kind: "held", messageId });
        if (toldChars > 0) tell(listener, { kind: "delta", messageId, offset: 0, text: text.slice(0, toldChars) });
      }
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Turns whose reply is being written, with the text so far. */
function createFlights(timers: Timers, tellAll: (news: TurnNews) => void) {
  const flights = new Map<string, Flight>();
  const flush = (messageId: string, flight: Flight): void => {
    const { text, toldChars: offset } = flight;
    if (text.length === offset) return;
    flight.toldChars = text.length;
    tellAll({ kind: "delta", messageId, offset, text: text.slice(offset) });
  };
  const begin = (messageId: string): Flight => {
    const alarm = createAlarm(timers, async () => {
      const isMore = flight.text.length > flight.toldChars;
      flush(messageId, flight);
      return isMore ? GATHER_MS : null;
    });
    const flight: Flight = { text: "", toldChars: 0, isHeld: false, alarm };
    return flight;
  };
  return {
    flights,
    flush,
    /** INVARIANT: never more than the limit: of a turn whose end was lost nothing is kept for ever. */
    flightOf(messageId: string): Flight {
      const known = flights.get(messageId);
      if (known !== undefined) return known;
      const [oldest] = flights.keys();
      if (flights.size >= LIMITS.turnsInFlight && oldest !== undefined) {
        flights.get(oldest)?.alarm.cancel();
        flights.delete(oldest);
      }
      const flight = begin(messageId);
      flights.set(messageId, flight);
      return flight;
    },
    /** The first words are not kept waiting. */
    gather(messageId: string, flight: Flight): void {
      if (flight.alarm.isSet()) return;
      flush(messageId, flight);
      flight.alarm.set(GATHER_MS);
    },
  };
}
