import { BookOpen, CalendarDays, History, House, ListChecks, type LucideIcon } from "lucide-react";
import { words } from "../words.ts";

/** The surfaces that exist. One that does not work yet is not in this list. */
export type Surface = { readonly path: string; readonly name: string; readonly icon: LucideIcon; readonly key: string };

/** Those in the foot of a phone, two on each side of capture. */
export const TABS: readonly Surface[] = [
  { path: "/", name: words.surfaces.home, icon: House, key: "h" },
  { path: "/tasks", name: words.surfaces.tasks, icon: ListChecks, key: "t" },
  { path: "/day", name: words.surfaces.day, icon: CalendarDays, key: "d" },
  { path: "/journal", name: words.surfaces.journal, icon: BookOpen, key: "j" },
];

export const SURFACES: readonly Surface[] = [
  ...TABS,
  { path: "/activity", name: words.surfaces.activity, icon: History, key: "a" },
];

export const isAt = (path: string, surface: string): boolean =>
  surface === "/" ? path === "/" : path === surface || path.startsWith(`${surface}/`);
