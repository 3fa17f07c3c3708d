import { create } from "zustand";
import type { EnrolResponse } from "#model";
import { clearReads } from "../data/database.ts";

/** Whether this browser may speak to the server. The token lives in this origin's storage, never in a URL or cookie. */
type SessionState = "signed_in" | "signed_out" | "enrolling" | "enrol_failed";
type SessionStore = { readonly state: SessionState; readonly reason: string | null };

const TOKEN_KEY = "silas.token";

export const useSession = create<SessionStore>(() => ({
  state: localStorage.getItem(TOKEN_KEY) === null ? "signed_out" : "signed_in",
  reason: null,
}));

export const sessionToken = (): string | null => localStorage.getItem(TOKEN_KEY);

/**
 * Forgets the token and the copy of the journal: the server said it is not valid any more, or the owner signed this
 * browser out. Writes that were never sent stay; they are nowhere else.
 */
export function forgetSession(): void {
  localStorage.removeItem(TOKEN_KEY);
  void clearReads().catch(() => undefined);
  useSession.setState({ state: "signed_out", reason: null });
}

/** The code of an enrolment link. Taken out of the address and the history entry before anything else happens. */
export function takeEnrolmentCode(): string | null {
  if (location.pathname !== "/enrol") return null;
  const code = location.hash.slice(1);
  history.replaceState(null, "", "/");
  return code === "" ? null : code;
}

export async function enrol(code: string): Promise<void> {
  const hadSession = sessionToken() !== null;
  if (!hadSession) useSession.setState({ state: "enrolling", reason: null });
  const answer = await postCode(code);
  if (answer.ok) {
    localStorage.setItem(TOKEN_KEY, answer.token);
    useSession.setState({ state: "signed_in", reason: null });
    return;
  }
  // A link opened twice in a browser that is already signed in changes nothing.
  if (!hadSession) useSession.setState({ state: "enrol_failed", reason: answer.reason });
}

type Enrolled = { readonly ok: true; readonly token: string } | { readonly ok: false; readonly reason: string };

async function postCode(code: string): Promise<Enrolled> {
  try {
    const response = await fetch("/session/enrol", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code, device_name: deviceName(navigator.userAgent) }),
    });
    if (!response.ok) return { ok: false, reason: response.status === 429 ? "too_many" : "refused" };
    const body = (await response.json()) as EnrolResponse;
    return { ok: true, token: body.token };
  } catch {
    return { ok: false, reason: "offline" };
  }
}

/** What the list of devices will call this browser. */
export function deviceName(userAgent: string): string {
  const browser = /Edg\//.test(userAgent)
    ? "Edge"
    : /Firefox\//.test(userAgent)
      ? "Firefox"
      : /Chrom(e|ium)\//.test(userAgent)
        ? "Chromium"
        : /Safari\//.test(userAgent)
          ? "Safari"
          : "Browser";
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux"].find((name) => userAgent.includes(name));
  return system === undefined ? browser : `${browser} on ${system === "Mac OS X" ? "macOS" : system}`;
}
