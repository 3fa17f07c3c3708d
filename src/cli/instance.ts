import type { LoadedConfig } from "#config";
import type { InstanceAddress } from "./http-client.ts";

export type RunningInstance = { readonly pid: number; readonly url: string; readonly address: InstanceAddress };

export async function findInstance(_setup: LoadedConfig): Promise<RunningInstance | null> {
  return null;
}
