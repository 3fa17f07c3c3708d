import { useState, type ReactNode } from "react";
import { useSearch } from "wouter";
import type { MemoryItemBody } from "#model";
import { useSettled } from "../palette/use-settled.ts";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/command.tsx";
import { Input } from "../parts/field.tsx";
import { Empty, Failure, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { memoryWords } from "../words/memory-words.ts";
import { words } from "../words.ts";
import { MemoryCard } from "./memory-card.tsx";
import { MemoryComposer } from "./memory-composer.tsx";
import styles from "./memory.module.css";
import { useFoundMemories, useMemories } from "./memory-reads.ts";

/** What is remembered and how far each of it is trusted; here it is searched, verified and forgotten. */
export function Memory(): ReactNode {
  const asked = new URLSearchParams(useSearch()).get("q") ?? "";
  return (
    <Page title={words.surfaces.memory} width="text">
      <MemoryComposer />
      <Searched key={asked} asked={asked} />
    </Page>
  );
}

function Searched({ asked }: { readonly asked: string }): ReactNode {
  const [text, setText] = useState(asked);
  const wanted = useSettled(text.trim(), 150);
  return (
    <>
      <Input
        type="search"
        aria-label={memoryWords.search}
        placeholder={memoryWords.search}
        value={text}
        dir="auto"
        className={styles["find"]}
        onChange={({ target }) => setText(target.value)}
      />
      {wanted === "" ? <All /> : <Found text={wanted} />}
    </>
  );
}

const FOUND_MAX = 100;

function Found({ text }: { readonly text: string }): ReactNode {
  const { data, error, retry } = useFoundMemories(text, FOUND_MAX);
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (data === undefined) return <Skeleton label={memoryWords.loading} />;
  return (
    <>
      <p role="status" className={styles["count"]}>
        {data.memories.length === 0 ? memoryWords.none : memoryWords.found(data.memories.length)}
      </p>
      <List items={data.memories} />
    </>
  );
}

function All(): ReactNode {
  const { data, error, retry, hasMore, more } = useMemories();
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (data === undefined) return <Skeleton label={memoryWords.loading} />;
  if (data.length === 0) {
    return (
      <Empty text={memoryWords.empty}>
        <Command text={memoryWords.command} />
      </Empty>
    );
  }
  return (
    <>
      <List items={rulesLast(data)} />
      {hasMore && (
        <Button className={styles["more"]} onClick={more}>
          {memoryWords.more}
        </Button>
      )}
    </>
  );
}

/** What the owner keeps is looked for more often than what the configuration says. */
const rulesLast = (items: readonly MemoryItemBody[]): readonly MemoryItemBody[] => [
  ...items.filter((item) => !isRule(item)),
  ...items.filter(isRule),
];
const isRule = ({ trust_level: trust }: MemoryItemBody): boolean => trust === "constitutional";

function List({ items }: { readonly items: readonly MemoryItemBody[] }): ReactNode {
  return (
    <ul className={styles["list"]} data-testid="memories">
      {items.map((item) => (
        <li key={item.memory_id}>
          <MemoryCard item={item} />
        </li>
      ))}
    </ul>
  );
}
