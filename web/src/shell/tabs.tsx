import { Ellipsis, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ReviewBadge } from "../review/badge.tsx";
import { openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import { isAt, REVIEW_PATH, TABS, UNDER_MORE, type Surface } from "./surfaces.ts";
import styles from "./tabs.module.css";

/** The phone's foot: the surfaces, with capture in the middle. */
export function Tabs(): ReactNode {
  return (
    <nav className={styles["tabs"]} aria-label={words.mainNav}>
      {TABS.slice(0, 2).map((surface) => (
        <Tab key={surface.path} surface={surface} />
      ))}
      <button
        type="button"
        className={styles["plus"]}
        aria-label={words.surfaces.capture}
        onClick={() => openSheet({ kind: "capture", as: "task" })}
      >
        <span>
          <Plus size={24} aria-hidden />
        </span>
      </button>
      {TABS.slice(2).map((surface) => (
        <Tab key={surface.path} surface={surface} />
      ))}
      <MoreTab />
    </nav>
  );
}

/** The way to the rest; it is marked while one of those is open. */
function MoreTab(): ReactNode {
  const [path] = useLocation();
  const isInside = UNDER_MORE.some((surface) => isAt(path, surface.path));
  return (
    <button
      type="button"
      className={styles["tab"]}
      aria-haspopup="dialog"
      data-here={isInside}
      onClick={() => openSheet({ kind: "more" })}
    >
      <Ellipsis size={20} aria-hidden />
      <span>{words.more.tab}</span>
    </button>
  );
}

function Tab({ surface: { path: to, name, icon: Icon } }: { readonly surface: Surface }): ReactNode {
  const [path] = useLocation();
  return (
    <Link href={to} className={styles["tab"]} aria-current={isAt(path, to) ? "page" : undefined}>
      <span className={styles["icon"]}>
        <Icon size={20} aria-hidden />
        {to === REVIEW_PATH && <ReviewBadge />}
      </span>
      <span>{name}</span>
    </Link>
  );
}
