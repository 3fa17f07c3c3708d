import { BookOpen, CalendarDays, House, ListChecks, type LucideIcon } from "lucide-react";
import { words } from "../words.ts";

/** The surfaces that exist. One that does not work yet is not in this list. */
export type Surface = { readonly path: string; readonly name: string; readonly icon: LucideIcon; readonly key: string };

export const SURFACES: readonly Surface[] = [
  { path: "/", name: words.surfaces.home, icon: House, key: "h" },
  { path: "/tasks", name: words.surfaces.tasks, icon: ListChecks, key: "t" },
  { path: "/day", name: words.surfaces.day, icon: CalendarDays, key: "d" },
  { path: "/journal", name: words.surfaces.journal, icon: BookOpen, key: "j" },
];

export const isAt = (path: string, surface: string): boolean =>
  surface === "/" ? path === "/" : path === surface || path.startsWith(`${surface}/`);
