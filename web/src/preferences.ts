import { create } from "zustand";

/** What the owner chose for this browser. `public/theme.js` reads the same key before the first paint. */
export type Theme = "system" | "light" | "dark";
type Preferences = { readonly theme: Theme; readonly singleKeys: "on" | "off" };

const KEY = "silas.preferences";
const DEFAULTS: Preferences = { theme: "system", singleKeys: "on" };
const BAR = { light: "#f9f6f2", dark: "#101318" } as const;

export const usePreferences = create<Preferences>(() => ({ ...DEFAULTS, ...stored() }));

export function prefer(change: Partial<Preferences>): void {
  usePreferences.setState(change);
  const { theme, singleKeys } = usePreferences.getState();
  localStorage.setItem(KEY, JSON.stringify({ theme, singleKeys }));
  applyTheme();
}

/** Keeps the page in step with the system's own switch and with other tabs. */
export function followTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    usePreferences.setState({ ...DEFAULTS, ...stored() });
    applyTheme();
  });
}

function applyTheme(): void {
  const { theme } = usePreferences.getState();
  const isDark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", isDark ? BAR.dark : BAR.light);
}

function stored(): Partial<Preferences> {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Record<keyof Preferences, unknown>>;
    const theme = (["system", "light", "dark"] as const).find((each) => each === value.theme);
    const singleKeys = (["on", "off"] as const).find((each) => each === value.singleKeys);
    return { ...(theme && { theme }), ...(singleKeys && { singleKeys }) };
  } catch {
    return {};
  }
}
