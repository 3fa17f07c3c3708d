import { Unlink } from "lucide-react";
import { useDeferredValue, useState, type ReactNode } from "react";
import { Link } from "wouter";
import { LINK_RELATIONS, type RecordId, type TaskDetail } from "#model";
import { run } from "../data/commands.ts";
import { useJournal } from "../data/reads.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Input, Select } from "../parts/field.tsx";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import { Section } from "./section.tsx";
import styles from "./task-time.module.css";

type Relation = (typeof LINK_RELATIONS)[number];

export function TaskLinks({ detail }: { readonly detail: TaskDetail }): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const { source, followUps, links } = detail;
  const isBare = source === null && followUps.length === 0 && links.length === 0;
  const add = (
    <Button size="small" tone="quiet" onClick={() => setAdding(!isAdding)}>
      {isAdding ? words.actions.cancel : words.links.add}
    </Button>
  );
  return (
    <Section title={words.links.heading} aside={add}>
      {isBare && !isAdding && <p className={styles["soft"]}>{words.links.none}</p>}
      <ul className={styles["links"]}>
        {source !== null && <Related word={words.task.followUpOf} id={source.id} title={source.body.title} />}
        {followUps.map((task) => (
          <Related key={task.id} word={words.task.followUps} id={task.id} title={task.body.title} />
        ))}
        {links.map((row) => (
          <LinkRow key={row.link.id} row={row} taskId={detail.task.id} />
        ))}
      </ul>
      {isAdding && <AddLink fromId={detail.task.id} onDone={() => setAdding(false)} />}
    </Section>
  );
}

type RelatedProps = { readonly word: string; readonly id: RecordId; readonly title: string };

const Related = ({ word, id, title }: RelatedProps): ReactNode => (
  <li>
    <span>
      <span className={styles["soft"]}>{word}</span>{" "}
      <Link href={`/tasks/${id}`}>
        <Line text={title} />
      </Link>
    </span>
  </li>
);

type RowProps = { readonly row: TaskDetail["links"][number]; readonly taskId: RecordId };

function LinkRow({ row: { link, other }, taskId }: RowProps): ReactNode {
  const names = link.body.fromId === taskId ? words.links.relations : words.links.inverse;
  const title = other?.title ?? words.links.gone;
  return (
    <li>
      <span>
        <span className={styles["soft"]}>{names[link.body.relation]}</span>{" "}
        {other?.kind === "task" ? (
          <Link href={`/tasks/${other.id}`}>
            <Line text={title} />
          </Link>
        ) : (
          <Line text={title} />
        )}
      </span>
      <IconButton label={words.actions.remove(title)} onClick={() => void run({ kind: "link.remove", id: link.id })}>
        <Unlink size={16} aria-hidden />
      </IconButton>
    </li>
  );
}

function AddLink({ fromId, onDone }: { readonly fromId: RecordId; readonly onDone: () => void }): ReactNode {
  const [relation, setRelation] = useState<Relation>("relates_to");
  const [text, setText] = useState("");
  const wanted = useDeferredValue(text.trim());
  const { data } = useJournal(
    wanted === "" ? null : { kind: "search", text: wanted, kinds: ["task", "entry"], limit: 6 },
  );
  const add = (toId: RecordId): void => {
    void run({ kind: "link.add", fromId, toId, relation });
    onDone();
  };
  return (
    <div className={styles["linkForm"]}>
      <Select
        aria-label={words.links.relation}
        value={relation}
        onChange={({ target }) => setRelation(target.value as Relation)}
      >
        {LINK_RELATIONS.map((each) => (
          <option key={each} value={each}>
            {words.links.relations[each]}
          </option>
        ))}
      </Select>
      <Input
        aria-label={words.links.find}
        placeholder={words.links.find}
        value={text}
        autoFocus
        onChange={({ target }) => setText(target.value)}
      />
      <ul className={styles["found"]}>
        {data?.hits
          .filter((hit) => hit.id !== fromId)
          .map((hit) => (
            <li key={hit.id}>
              <button type="button" onClick={() => add(hit.id)}>
                <Line text={hit.title} />
              </button>
            </li>
          ))}
      </ul>
    </div>
  );
}
