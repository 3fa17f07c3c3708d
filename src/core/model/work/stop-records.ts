import * as z from "zod/mini";
import type { Instant } from "#base";
import type { Acting } from "../audit.ts";
import type { HoldBody } from "../audit/hold.ts";
import { instantSchema } from "../values.ts";
import type { WorkSummaryBody } from "./run-wire.ts";

/** Everything is stopped: since when, and at whose word. Nothing of work begins until somebody says otherwise. */
export type Stopped = { readonly at: Instant; readonly by: Acting["kind"] };

export const stoppedSchema = z.strictObject({ at: instantSchema, by: z.enum(["owner", "terminal", "system"]) });
export type StoppedBody = z.input<typeof stoppedSchema>;

/** `GET /api/work`. */
export type WorkListBody = {
  readonly runs: readonly WorkSummaryBody[];
  /** Set while everything is stopped. */
  readonly stopped: StoppedBody | null;
  /** Set while Silas is read-only. */
  readonly hold: HoldBody | null;
};

/** `POST /api/stop` answers with this. */
export type StopBody = {
  readonly stopped: StoppedBody;
  /** Runs that were ended by it. */
  readonly ended: number;
  /** False when the disk took no write: everything is stopped, but only until Silas ends. */
  readonly recorded: boolean;
};

/** The warning for a stop of everything that could not be recorded. */
export const STOP_UNRECORDED =
  "Stopped, but not recorded: nothing could be written. It holds until Silas ends. Free disk space and stop again.";
/** `POST /api/start-again` answers with this. */
export type StartAgainBody = { readonly was_stopped: boolean };

/** `POST /api/stop`, `POST /api/start-again`, and `POST /api/work/:id/pause`, `resume` and `cancel` take nothing. */
export const nothingSchema = z.strictObject({});

/** Who stopped it, for a person. */
export const STOPPED_BY: { readonly [K in Stopped["by"]]: string } = {
  owner: "from a page",
  terminal: "in a terminal",
  system: "by Silas",
};
