import { readStop } from "#stores";
import type { Finding } from "../house/doctor.ts";
import { stoppedSentence } from "./words.ts";

type Subject = { readonly setup: { readonly paths: { readonly dataDir: string } } };

/** Whether work may begin: a stop is somebody's wish, and worth a word when nothing seems to happen. */
export function checkStop({ setup }: Subject): Finding {
  const check = "work";
  const stopped = readStop(setup.paths.dataDir);
  if (!stopped.ok) {
    const fix = "see the finding about the runtime file";
    return { check, state: "fail", message: "whether everything is stopped cannot be read; nothing begins", fix };
  }
  if (stopped.value === null) return { check, state: "ok", message: "nothing is stopped", fix: null };
  return { check, state: "warn", message: stoppedSentence(stopped.value), fix: "silas start-again" };
}
