import { Command } from "cmdk";
import { Search } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import type { SearchHit } from "#model";
import { undoLast } from "../data/commands.ts";
import { useJournal } from "../data/reads.ts";
import { useFoundMemories } from "../memory/memory-reads.ts";
import { Sheet } from "../parts/sheet.tsx";
import { Line, Marked } from "../parts/text.tsx";
import { prefer, usePreferences } from "../preferences.ts";
import { SURFACES } from "../shell/surfaces.ts";
import { useConnection } from "../wire/connection.ts";
import { closeSheet, openSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./palette.module.css";
import { matching } from "./matching.ts";
import { MemoryHits } from "./memory-hits.tsx";
import { useSettled } from "./use-settled.ts";

type Action = { readonly name: string; readonly run: () => void; readonly keys?: string };

const MEMORIES_SHOWN = 5;

/** Everything by name: places, actions, every word in the journal, and what is remembered. */
export function Palette(): ReactNode {
  const [text, setText] = useState("");
  const wanted = useSettled(text.trim(), 90);
  const { data, error } = useJournal(wanted === "" ? null : { kind: "search", text: wanted, limit: 30 });
  const isOffline = useConnection((state) => state.state === "offline");
  const memories = useFoundMemories(wanted, MEMORIES_SHOWN).data?.memories ?? [];
  const hits = wanted === "" ? [] : (data?.hits ?? []);
  return (
    <Sheet title={words.palette.label} onClose={closeSheet} head="spoken" wide="wide">
      <Command label={words.palette.label} shouldFilter={false} loop className={styles["palette"]}>
        <div className={styles["field"]}>
          <Search size={20} aria-hidden />
          <Command.Input
            value={text}
            onValueChange={setText}
            placeholder={words.palette.placeholder}
            data-focus-first=""
          />
        </div>
        <Command.List className={styles["list"]} label={words.palette.results}>
          <Commands text={text} />
          {hits.length > 0 && (
            <Command.Group heading={words.palette.results}>
              {hits.map((hit) => (
                <Hit key={`${hit.kind}-${hit.id}`} hit={hit} />
              ))}
            </Command.Group>
          )}
          <MemoryHits memories={memories} text={wanted} />
          {wanted !== "" && hits.length === 0 && memories.length === 0 && (
            <p className={styles["none"]} role="status">
              {isOffline || error !== null ? words.palette.offline : data === undefined ? "" : words.palette.none}
            </p>
          )}
        </Command.List>
      </Command>
    </Sheet>
  );
}

function Commands({ text }: { readonly text: string }): ReactNode {
  const [, navigate] = useLocation();
  const theme = usePreferences((state) => state.theme);
  const go: readonly Action[] = [
    ...SURFACES.map(({ name, path, key }) => ({ name, run: () => navigate(path), keys: `g ${key}` })),
    { name: words.surfaces.settings, run: () => navigate("/settings") },
    ...(["today", "upcoming", "inbox", "done"] as const).map((view) => ({
      name: `${words.surfaces.tasks}: ${words.views[view]}`,
      run: () => navigate(`/tasks?view=${view}`),
    })),
  ];
  const actions: readonly Action[] = [
    { name: words.home.chips.task, run: () => openSheet({ kind: "capture", as: "task" }), keys: "q" },
    { name: words.home.chips.note, run: () => openSheet({ kind: "capture", as: "note" }) },
    { name: words.tasks.manageCategories, run: () => openSheet({ kind: "categories" }) },
    { name: words.actions.undo, run: () => void undoLast(), keys: "u" },
    {
      name: `${words.settings.theme}: ${theme === "dark" ? words.settings.themes.light : words.settings.themes.dark}`,
      run: () => prefer({ theme: theme === "dark" ? "light" : "dark" }),
    },
    { name: words.shortcuts.heading, run: () => openSheet({ kind: "shortcuts" }), keys: "?" },
  ];
  return (
    <>
      <Group heading={words.palette.go} actions={matching(go, text)} />
      <Group heading={words.palette.actions} actions={matching(actions, text)} />
    </>
  );
}

function Group({ heading, actions }: { readonly heading: string; readonly actions: readonly Action[] }): ReactNode {
  if (actions.length === 0) return null;
  return (
    <Command.Group heading={heading}>
      {actions.map((action) => (
        <Command.Item
          key={action.name}
          value={`${heading} ${action.name}`}
          className={styles["item"]}
          onSelect={() => {
            closeSheet();
            action.run();
          }}
        >
          {action.name}
          {action.keys !== undefined && <kbd>{action.keys}</kbd>}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function Hit({ hit }: { readonly hit: SearchHit }): ReactNode {
  const [, navigate] = useLocation();
  return (
    <Command.Item
      value={`${hit.kind}-${hit.id}`}
      className={styles["hit"]}
      onSelect={() => {
        closeSheet();
        navigate(addressOf(hit));
      }}
    >
      <span className={styles["kind"]}>{words.palette.kinds[hit.kind]}</span>
      <span className={styles["text"]}>
        <span className={styles["title"]}>
          <Line text={hit.title} />
        </span>
        <span className={styles["snippet"]}>
          <Marked text={hit.snippet} />
        </span>
      </span>
    </Command.Item>
  );
}

function addressOf({ openKind, openId }: SearchHit): string {
  if (openKind === "task") return `/tasks/${openId}`;
  if (openKind === "category") return `/tasks?category=${openId}`;
  if (openKind === "label") return `/tasks?label=${openId}`;
  if (openKind === "dayPlan") return `/day/${openId.replace(/^plan-/, "")}`;
  return `/journal#entry-${openId}`;
}
