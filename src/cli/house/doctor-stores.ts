import { instantFromMs, msOfInstant, oneLine } from "#base";
import { inspectStores, startFaultSentence, type StoreInspection } from "#stores";
import type { Finding } from "./doctor.ts";
import type { HereAndNow } from "../terminal/local-time.ts";

const CLOCK_SLACK_MS = 5 * 60_000;

type Subject = { readonly setup: { readonly paths: { readonly dataDir: string } }; readonly here: HereAndNow };

/** What is wrong with the databases: torn pages, damaged rows, migrations a start would refuse, dates that have not come yet. */
export function checkStores({ setup, here }: Subject): readonly Finding[] {
  const limit = instantFromMs(msOfInstant(here.now) + CLOCK_SLACK_MS);
  const after = limit.ok ? limit.value : here.now;
  return inspectStores({ dataDir: setup.paths.dataDir, after }).flatMap((inspection) => [
    pagesOf(inspection),
    ...schemaOf(inspection),
    ...datesOf(inspection),
    ...rowsOf(inspection),
  ]);
}

function pagesOf({ store: check, file, pages }: StoreInspection): Finding {
  if (pages === null) return { check, state: "warn", message: `${file} does not exist yet`, fix: "silas init" };
  if (!pages.ok) return refused(check, pages.error);
  return { check, state: "ok", message: `${file} is whole`, fix: null };
}

function schemaOf({ store, file, schema }: StoreInspection): readonly Finding[] {
  const check = `${store} schema`;
  if (schema === null) return [];
  if (!schema.ok) return [refused(check, schema.error)];
  const { applied, pending } = schema.value;
  if (pending.length > 0) {
    const message = `${pending.length} of the migrations of ${file} are not applied yet`;
    return [{ check, state: "warn", message, fix: "silas init applies them, after a copy of what is there" }];
  }
  return [{ check, state: "ok", message: `${applied.length} applied, the last is ${applied.at(-1)}`, fix: null }];
}

/** The words a start would say. */
function refused(check: string, fault: Parameters<typeof startFaultSentence>[0]): Finding {
  const [message = "", , fix = ""] = startFaultSentence(fault).split("\n");
  return { check, state: "fail", message, fix };
}

function datesOf({ changedAfter }: StoreInspection): readonly Finding[] {
  const check = "dates";
  if (changedAfter === null) return [];
  if (changedAfter === 0) return [{ check, state: "ok", message: "no record is from the future", fix: null }];
  const message = `${changedAfter} record(s) were changed in the future`;
  return [{ check, state: "warn", message, fix: "check the date of this computer" }];
}

const NAMED_MAX = 5;

function rowsOf({ file, damagedRows }: StoreInspection): readonly Finding[] {
  const check = "rows";
  if (damagedRows === null) return [];
  if (damagedRows.length === 0) return [{ check, state: "ok", message: "what is kept can be read", fix: null }];
  const named = damagedRows.slice(0, NAMED_MAX).map(({ table, id }) => `${oneLine(id)} of ${table}`);
  const more = damagedRows.length > NAMED_MAX ? `, and ${damagedRows.length - NAMED_MAX} more` : "";
  const message = `${damagedRows.length} row(s) of ${file} cannot be read and are left out: ${named.join(", ")}${more}`;
  return [{ check, state: "fail", message, fix: "silas restore <backup> brings back a copy from before" }];
}
