import {
  BookOpen,
  Brain,
  CalendarDays,
  History,
  House,
  ListChecks,
  MessageCircle,
  Scale,
  Target,
  type LucideIcon,
} from "lucide-react";
import { words } from "../words.ts";

/** The surfaces that exist. One that does not work yet is not in this list. */
export type Surface = { readonly path: string; readonly name: string; readonly icon: LucideIcon; readonly key: string };

export const REVIEW_PATH = "/review";

/** Those always one tap away in the foot of a phone, beside capture; the others are under More. */
export const TABS: readonly Surface[] = [
  { path: "/", name: words.surfaces.home, icon: House, key: "h" },
  { path: REVIEW_PATH, name: words.review.surface, icon: Scale, key: "r" },
  { path: "/activity", name: words.surfaces.activity, icon: History, key: "a" },
];

export const UNDER_MORE: readonly Surface[] = [
  { path: "/tasks", name: words.surfaces.tasks, icon: ListChecks, key: "t" },
  { path: "/day", name: words.surfaces.day, icon: CalendarDays, key: "d" },
  { path: "/goals", name: words.surfaces.goals, icon: Target, key: "o" },
  { path: "/journal", name: words.surfaces.journal, icon: BookOpen, key: "j" },
  { path: "/memory", name: words.surfaces.memory, icon: Brain, key: "m" },
  { path: "/talk", name: words.surfaces.talk, icon: MessageCircle, key: "k" },
];

export const SURFACES: readonly Surface[] = [...TABS, ...UNDER_MORE];

export const isAt = (path: string, surface: string): boolean =>
  surface === "/" ? path === "/" : path === surface || path.startsWith(`${surface}/`);
