import { statSync } from "node:fs";
import { err, ok, type Result } from "#base";
import { createEngineClient, type EngineClient } from "./engine-client.ts";

/** Somebody who runs containers on this machine. */
export type Engine = EngineClient & {
  readonly socket: string;
  readonly kind: "docker" | "podman";
  readonly version: string;
  /** Whether it runs with the rights of an ordinary user. */
  readonly isRootless: boolean;
};

type Wanted = { readonly socket: string | null; readonly uid: number };

/** A named socket, or the first in the usual places that answers. Otherwise what each of them said. */
export async function findEngine({ socket, uid }: Wanted): Promise<Result<Engine, string>> {
  const places = socket === null ? usualPlaces(uid) : [socket];
  const faults: string[] = [];
  for (const place of places) {
    const found = await askEngine(place);
    if (found.ok) return found;
    faults.push(`${place}: ${found.error}`);
  }
  return err(faults.join("; "));
}

const usualPlaces = (uid: number): readonly string[] => [
  "/var/run/docker.sock",
  `/run/user/${uid}/podman/podman.sock`,
  "/run/podman/podman.sock",
];

async function askEngine(socket: string): Promise<Result<Engine, string>> {
  const client = createEngineClient(socket);
  const name = await client.ping();
  if (!name.ok) return err(name.error.detail);
  const { kind, version = "" } = /^(?<kind>Docker|Libpod)\/(?<version>[\w.+-]+)/.exec(name.value)?.groups ?? {};
  if (kind === undefined) return err("does not say whether it is Docker or Podman");
  // The socket belongs to whoever the engine runs as.
  const isRootless = statSync(socket).uid !== 0;
  return ok({ ...client, socket, kind: kind === "Docker" ? "docker" : "podman", version, isRootless });
}
