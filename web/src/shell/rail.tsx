import { OctagonX, Plus, Search, Settings } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ReviewBadge } from "../review/badge.tsx";
import { openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import { Mark } from "./mark.tsx";
import { ModeChip } from "./mode-chip.tsx";
import styles from "./rail.module.css";
import { isAt, REVIEW_PATH, SURFACES, type Surface } from "./surfaces.ts";
import { TimerChip } from "./timer-chip.tsx";

/** The desktop's side: everything one click away. */
export function Rail(): ReactNode {
  const [path] = useLocation();
  return (
    <nav className={styles["rail"]} aria-label={words.mainNav}>
      <Link href="/" className={styles["brand"]} aria-label={words.product}>
        <Mark size={28} />
        <span>{words.product}</span>
      </Link>
      <button
        type="button"
        className={styles["capture"]}
        title={words.surfaces.capture}
        onClick={() => openSheet({ kind: "capture", as: "task" })}
      >
        <Plus size={18} aria-hidden />
        <span>{words.surfaces.capture}</span>
        <kbd aria-hidden>q</kbd>
      </button>
      <ul>
        {SURFACES.map((surface) => (
          <li key={surface.path}>
            <RailItem surface={surface} />
          </li>
        ))}
        <li>
          <button
            type="button"
            className={styles["item"]}
            title={words.surfaces.search}
            onClick={() => openSheet({ kind: "palette" })}
          >
            <Search size={18} aria-hidden />
            <span>{words.surfaces.search}</span>
            <kbd aria-hidden>Ctrl K</kbd>
          </button>
        </li>
      </ul>
      <div className={styles["foot"]}>
        <TimerChip place="rail" />
        <StopItem />
        <Link
          href="/settings"
          className={styles["item"]}
          title={words.surfaces.settings}
          aria-current={path === "/settings" ? "page" : undefined}
        >
          <Settings size={18} aria-hidden />
          <span>{words.surfaces.settings}</span>
        </Link>
        <ModeChip />
      </div>
    </nav>
  );
}

function StopItem(): ReactNode {
  const name = words.work.stopAll;
  return (
    <button type="button" className={styles["item"]} title={name} onClick={() => openSheet({ kind: "stop" })}>
      <OctagonX size={18} aria-hidden />
      <span>{name}</span>
    </button>
  );
}

function RailItem({ surface: { path: to, name, icon: Icon } }: { readonly surface: Surface }): ReactNode {
  const [path] = useLocation();
  return (
    <Link href={to} className={styles["item"]} title={name} aria-current={isAt(path, to) ? "page" : undefined}>
      <Icon size={18} aria-hidden />
      <span>{name}</span>
      {to === REVIEW_PATH && (
        <div className={styles["badge"]}>
          <ReviewBadge />
        </div>
      )}
    </Link>
  );
}
