import { readdirSync, readlinkSync } from "node:fs";

/** Every place that this process holds open under a folder. */
export const heldUnder = (folder: string): readonly string[] =>
  readdirSync("/proc/self/fd")
    .map((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`);
      } catch {
        // The handle that lists the others is closed by now.
        return "";
      }
    })
    .filter((place) => place === folder || place.startsWith(`${folder}/`));
