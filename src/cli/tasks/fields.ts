import type { RecordId } from "#model";
import { CommandFailure, usage } from "../terminal/failure.ts";
import type { CommandInput, JournalClient } from "../client/journal-client.ts";
import { parseDay, parseDuration, type HereAndNow } from "../terminal/local-time.ts";
import { resolveCategoryOrNone, resolveLabel } from "../journal/records.ts";

export type EditOptions = {
  readonly title?: string;
  readonly notes?: string;
  readonly status?: "open" | "in-progress";
  readonly priority?: string;
  readonly due?: string;
  readonly at?: string;
  readonly estimate?: string;
  readonly category?: string;
  readonly label?: readonly string[];
  readonly unlabel?: readonly string[];
  readonly repeat?: string;
  readonly repeatFrom?: "due" | "done";
  readonly language?: string;
};

type TaskSet = Extract<CommandInput, { kind: "task.update" }>["set"];

/** The fields a person named, from text to values; `none` empties a field. */
export async function parseTaskFields(given: {
  readonly client: JournalClient;
  readonly id: RecordId;
  readonly options: EditOptions;
  readonly here: HereAndNow;
}): Promise<TaskSet> {
  const { client, id, options, here } = given;
  const { title, notes, status, priority, due, at, estimate, category, language } = options;
  return {
    ...(title === undefined ? {} : { title }),
    ...(notes === undefined ? {} : { notes: notes === "none" ? "" : notes }),
    ...(status === undefined ? {} : { status: status === "open" ? "OPEN" : "IN_PROGRESS" }),
    ...(priority === undefined ? {} : { priority: orNone(priority, parsePriority) }),
    ...(due === undefined ? {} : { dueDate: orNone(due, (text) => parseDay(text, here)) }),
    // Without a day a time means nothing, so emptying the day empties the time.
    ...(due === "none" ? { dueTime: null } : {}),
    ...(at === undefined ? {} : { dueTime: orNone(at, parseTimeOfDay) }),
    ...(estimate === undefined ? {} : { estimateMinutes: orNone(estimate, parseDuration) }),
    ...(category === undefined ? {} : { categoryId: await resolveCategoryOrNone(client, category) }),
    ...(language === undefined ? {} : { language: orNone(language, (tag) => tag) }),
    ...(options.repeat === undefined ? {} : { repeat: parseRepeat(options.repeat, options.repeatFrom ?? "due") }),
    ...(options.label === undefined && options.unlabel === undefined
      ? {}
      : { labelIds: await editLabels(client, id, options) }),
  };
}

const orNone = <T>(text: string, parse: (text: string) => T): T | null => (text === "none" ? null : parse(text));

function parsePriority(text: string): number {
  if (!/^!?[1-4]$/.test(text))
    throw usage(`"${text}" is not a priority.`, "Priorities are 1 (most urgent) to 4, or none.");
  return Number(text.slice(-1));
}

function parseTimeOfDay(text: string): string {
  const match = /^([01]?\d|2[0-3])(?::([0-5]\d))?$/.exec(text);
  if (match === null) throw usage(`"${text}" is not a time of day.`, "Write 9 or 09:30.");
  return `${(match[1] ?? "0").padStart(2, "0")}:${match[2] ?? "00"}`;
}

const UNITS = { d: "day", w: "week", m: "month", y: "year" } as const;

function parseRepeat(text: string, from: "due" | "done"): TaskSet["repeat"] {
  if (text === "none") return null;
  const match = /^(\d{1,3})?\s*(d|w|m|y)(?:ay|eek|onth|ear)?s?$/.exec(text);
  if (match === null) throw usage(`"${text}" is not a rhythm.`, "Write 1d, 2w, 1m, 1y or none.");
  return { every: Number(match[1] ?? 1), unit: UNITS[match[2] as keyof typeof UNITS], weekdays: [], from };
}

async function editLabels(client: JournalClient, id: RecordId, options: EditOptions): Promise<string[]> {
  const detail = await client.ask({ kind: "task", id });
  if (detail === null) throw new CommandFailure({ what: `There is no task "${id}".` });
  const labelIds = new Set<string>(detail.task.body.labelIds);
  for (const name of options.label ?? []) labelIds.add(await resolveLabel(client, name));
  for (const name of options.unlabel ?? []) labelIds.delete(await resolveLabel(client, name));
  return [...labelIds];
}
