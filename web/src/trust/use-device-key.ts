import { useQuery, type QueryClient } from "@tanstack/react-query";
import { err, ok, type Result } from "#base";
import type { WireError } from "../wire/http.ts";
import { canKeepKeys, dropOtherKeys, loadDeviceKey } from "./device-key.ts";
import { deriveDeviceState, type DeviceState } from "./device-state.ts";
import { readCurrentKey, readSession } from "./enrolment.ts";

export type Device = { readonly sessionId: string; readonly name: string; readonly state: DeviceState };

/** Under the name that is read again whenever the server says that something about decisions or keys changed. */
const DEVICE_KEY_QUERY = ["review", "device-key"] as const;
/** The terminal confirms while somebody looks at the code. */
const WAITING_POLL_MS = 1_000;

/** How it stands with signing in this browser, kept in step while it waits. `failed` when the server gave no answer. */
export function useDeviceKey(): { readonly device: Device | null; readonly failed: WireError | null } {
  const { data } = useQuery({
    queryKey: DEVICE_KEY_QUERY,
    queryFn: readDevice,
    refetchOnMount: "always",
    refetchInterval: ({ state }) =>
      state.data?.ok === true && state.data.value.state.kind === "waiting" ? WAITING_POLL_MS : false,
  });
  if (data === undefined) return { device: null, failed: null };
  return data.ok ? { device: data.value, failed: null } : { device: null, failed: data.error };
}

/** After anything that may have changed it: a confirmation, a revocation, a press of a button. */
export const readDeviceKeyAgain = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: DEVICE_KEY_QUERY });

export async function readDevice(): Promise<Result<Device, WireError>> {
  const session = await readSession();
  if (!session.ok) return session;
  const { session_id: sessionId, device_name: name, kind } = session.value;
  if (kind !== "device" || !(await canKeepKeys())) return ok({ sessionId, name, state: { kind: "unsupported" } });
  const current = await readCurrentKey();
  if (!current.ok) return err(current.error);
  await dropOtherKeys(sessionId);
  return ok({ sessionId, name, state: deriveDeviceState(current.value, await loadDeviceKey(sessionId)) });
}
