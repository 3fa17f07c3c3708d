import type { HoldBody } from "./audit/hold.ts";
import type { ModelBody } from "./talk/model-place.ts";
import type { TurnFrame } from "./talk/turn-delta.ts";
import * as z from "zod/mini";
import { LIMITS } from "#base";
import type { NotificationBatch } from "./changes.ts";
import type { VaultPlace } from "./secret/secure-input.ts";
import type { RunNews } from "./work/run-news.ts";
import type { StoppedBody } from "./work/stop-records.ts";
import { nameSchema, maxLength, minLength } from "./values.ts";

/** Frames a client may send. Extra fields are refused. */
export const clientFrameSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("auth"), token: z.string().check(minLength(1), maxLength(512)) }),
  z.strictObject({ type: z.literal("ping") }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

/** Frames the server sends. */
export type ServerFrame =
  | { readonly type: "auth_ok"; readonly session_id: string; readonly version: string }
  | { readonly type: "pong" }
  | { readonly type: "change_batch"; readonly batch: NotificationBatch }
  /** Something about requests, decisions, enrolments or inputs is not as it was: ask again. */
  | { readonly type: "review_changed"; readonly pending_count: number }
  /** What is new of a run, as it happens. */
  | { readonly type: "run_news"; readonly run_id: string; readonly work_item_id: string; readonly news: RunNews }
  /** A reply while it is written. */
  | TurnFrame
  | { readonly type: "error"; readonly code: string; readonly message: string; readonly retry_after_ms: number | null };

export const enrolRequestSchema = z.strictObject({
  code: z.string().check(minLength(16), maxLength(LIMITS.idChars)),
  device_name: nameSchema,
});
export type EnrolRequest = z.infer<typeof enrolRequestSchema>;
export type EnrolResponse = { readonly token: string; readonly session_id: string };

/** One answer for every refused HTTP request: a code, the facts, a sentence, and an id to find it in the logs. */
export type ErrorBody = {
  readonly error: { readonly code: string; readonly message: string } & { readonly [fact: string]: unknown };
  readonly error_id: string;
};

/** `GET /api/status`: what `silas status` and the page's header show. */
export type StatusBody = {
  readonly version: string;
  readonly pid: number;
  readonly url: string;
  readonly started_at: string;
  /** `built_in` until a model is connected: no reply ever imitates a model. */
  readonly mode: "built_in" | "model";
  /** The model that answers, and where it is asked. */
  readonly model: ModelBody | null;
  readonly data_dir: string;
  readonly connections: number;
  readonly owner_id: string;
  /** How long a plain approval holds after it is signed. */
  readonly approval_valid_ms: number;
  /** Set while everything is stopped. */
  readonly stopped: StoppedBody | null;
  /** Set while Silas is read-only: the database is not the newest one, as far as anything can tell. */
  readonly hold: HoldBody | null;
  /** Where secrets are kept. */
  readonly vault: { readonly backend: VaultPlace["backend"]; readonly opens_with: VaultPlace["opensWith"] };
};
