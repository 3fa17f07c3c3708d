import { Command } from "cmdk";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { memoryTrustWords, type MemoryItemBody } from "#model";
import { Line } from "../parts/text.tsx";
import { closeSheet } from "../ui-state.ts";
import { words } from "../words.ts";
import styles from "./palette.module.css";

type Hits = { readonly memories: readonly MemoryItemBody[]; readonly text: string };

/** What is remembered about it, each with how far it is trusted; all of them open the search among memories. */
export function MemoryHits({ memories, text }: Hits): ReactNode {
  const [, navigate] = useLocation();
  if (memories.length === 0) return null;
  return (
    <Command.Group heading={words.palette.remembered}>
      {memories.map(({ memory_id: id, content, trust_level: trustLevel, taint }) => (
        <Command.Item
          key={id}
          value={`memory-${id}`}
          className={styles["hit"]}
          onSelect={() => {
            closeSheet();
            navigate(`/memory?q=${encodeURIComponent(text)}`);
          }}
        >
          <span className={styles["kind"]}>{words.surfaces.memory}</span>
          <span className={styles["text"]}>
            <span className={styles["title"]}>
              <Line text={content} />
            </span>
            <span className={styles["snippet"]}>{memoryTrustWords({ trustLevel, taint })}</span>
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}
