import { existsSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import type { Environment } from "#config";

const OWN = join(import.meta.dirname, "..", "..", "..", "bin", "silas");

/** How to call Silas from here, where its name alone finds nothing, as in a fresh checkout; else null. */
export function commandHere({ env, cwd, platform }: Pick<Environment, "env" | "cwd" | "platform">): string | null {
  if (platform === "win32") return null;
  const places = (env["PATH"] ?? "").split(delimiter).filter((place) => place !== "");
  if (places.some((place) => existsSync(join(place, "silas")))) return null;
  const near = relative(cwd, OWN);
  return near.startsWith("..") ? OWN : near;
}
