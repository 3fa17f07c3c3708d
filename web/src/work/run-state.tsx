import {
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CirclePause,
  CircleSlash2,
  LoaderCircle,
  TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import type { RunRecordBody, WorkSummaryBody } from "#model";
import { words } from "../words.ts";
import { isOver } from "./work-reads.ts";

/** How it stands with a run in one line: where it is, or how it ended. */
export const runStateWords = (summary: WorkSummaryBody): string =>
  isOver(summary) ? words.work.outcome(summary.run) : words.work.now(summary);

type RunMarkProps = { readonly run: Pick<RunRecordBody, "status" | "is_verified">; readonly size: number };

/** The same as a shape, so that nothing is told by colour alone. */
export function RunMark({ run, size }: RunMarkProps): ReactNode {
  const Mark = MARKS[run.status];
  return run.status === "done" && !run.is_verified ? (
    <CircleDashed size={size} aria-hidden />
  ) : (
    <Mark size={size} aria-hidden />
  );
}

const MARKS = {
  pending: LoaderCircle,
  running: LoaderCircle,
  verifying: LoaderCircle,
  paused: CirclePause,
  waiting: CircleHelp,
  done: CircleCheck,
  failed: TriangleAlert,
  stuck: TriangleAlert,
  blocked: TriangleAlert,
  cancelled: CircleSlash2,
  in_doubt: CircleHelp,
} as const;
