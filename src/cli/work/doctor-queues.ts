import { oneLine } from "#base";
import type { DeadLetter } from "#engine";
import { deadWords, kindOfId, KINDS, workItemOf, type MessageKind } from "#model";
import { readQueues } from "#stores";
import type { Finding } from "../house/doctor.ts";

type Subject = { readonly setup: { readonly paths: { readonly dataDir: string } } };

const NAMED_MAX = 5;

/** Runs that wait, decisions that are not carried out yet, and what was set aside because nobody could begin it. [BUS-13] */
export function checkQueues({ setup }: Subject): Finding {
  const check = "queue";
  const found = readQueues(setup.paths.dataDir);
  if (!found.ok) {
    const fix = "see the finding about the runtime file";
    return { check, state: "fail", message: "what waits cannot be read", fix };
  }
  const { waiting, decided, dead } = found.value;
  const waits = waitWords(waiting, decided);
  if (dead.length === 0) return { check, state: "ok", message: `${waits}, nothing was set aside`, fix: null };
  const named = dead.slice(0, NAMED_MAX).map(nameOf).join("; ");
  const more = dead.length > NAMED_MAX ? `; and ${dead.length - NAMED_MAX} more` : "";
  const message = `${waits}, ${dead.length} set aside: ${named}${more}`;
  return {
    check,
    state: "warn",
    message,
    fix: [...new Set(dead.flatMap(nextOf)), "silas logs has the cause"].join("; "),
  };
}

function waitWords(runs: number, decisions: number): string {
  const begun = runs === 1 ? "1 run waits to be begun" : `${runs} runs wait to be begun`;
  const carried =
    decisions === 1 ? "1 decision waits to be carried out" : `${decisions} decisions wait to be carried out`;
  const waits = [...(runs > 0 ? [begun] : []), ...(decisions > 0 ? [carried] : [])];
  return waits.length === 0 ? "nothing waits to be begun" : waits.join(", ");
}

const kindOf = ({ id, message }: DeadLetter): MessageKind | null => message?.kind ?? kindOfId(id);

function nameOf(letter: DeadLetter): string {
  const { id, message } = letter;
  const kind = kindOf(letter);
  const runId = message?.kind === "decided" ? message.payload.runId : undefined;
  const work = message === null ? null : workItemOf(message);
  const name = work === null ? null : oneLine(work);
  const named = runId === undefined || name === null ? name : `${name} (run ${runId.slice(-8)})`;
  const what = kind === null ? `handle message ${id}` : KINDS[kind].dead.what(named);
  return `could not ${what}: ${deadWords(letter)}`;
}

function nextOf(letter: DeadLetter): readonly string[] {
  const kind = kindOf(letter);
  return kind === null ? [] : [KINDS[kind].dead.next];
}
