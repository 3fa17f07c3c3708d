import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LimitView } from "#model";
import { loadSetup } from "../client/setup.ts";
import type { Call } from "../terminal/context.ts";
import { withWork } from "../work/open-work.ts";

/** Says of every key that an approval changed what counts instead. Before Silas was used there is nothing to say. */
export async function noteChangedLimits(call: Call<object>, keys: readonly string[]): Promise<void> {
  if (!keys.some((key) => key.startsWith("batch_review."))) return;
  if (!existsSync(join(loadSetup(call.environment).config.dataDir, "silas.db"))) return;
  const view = await withWork(call, ({ autonomy }) => autonomy.show());
  const changed = (view.ok ? view.value.limits : []).filter(
    ({ key, state }) => keys.includes(key) && (state === "changed" || state === "set_aside"),
  );
  for (const limit of changed) call.terminal.note(noteOf(limit));
}

const noteOf = ({ key, value, changedBy, state }: LimitView): string =>
  state === "changed"
    ? `${key} counts as ${value}: changed by approval ${changedBy}. \`silas autonomy tighten\` takes back what was widened.`
    : `${key}: what approval ${changedBy} changed is set aside, since the configuration was edited.`;
