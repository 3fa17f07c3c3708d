import { create } from "zustand";

/** What the page knows about its server. `offline` means: show what was read before, keep what is written. */
type Connection = {
  readonly state: "connecting" | "online" | "offline";
  readonly nextTryAtMs: number | null;
};

export const useConnection = create<Connection>(() => ({ state: "connecting", nextTryAtMs: null }));

export const markOnline = (): void => useConnection.setState({ state: "online", nextTryAtMs: null });
export const markOffline = (): void => useConnection.setState({ state: "offline" });
