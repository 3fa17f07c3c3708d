import { useEffect, useRef } from "react";
import type { LiveSocket } from "../wire/socket.ts";
import { startLive } from "./live.ts";

/** Keeps the page in step with the server as long as it is shown; what comes back asks for the server at once. */
export function useLive(): () => void {
  const socket = useRef<LiveSocket>(null);
  useEffect(() => {
    const live = startLive();
    socket.current = live;
    return live.close;
  }, []);
  return () => socket.current?.retryNow();
}
