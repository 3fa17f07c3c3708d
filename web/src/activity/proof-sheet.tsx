import type { ReactNode } from "react";
import type { ActivityItem, AuditActor } from "#model";
import { CopyButton } from "../parts/copy-button.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Line, Paragraphs } from "../parts/text.tsx";
import { dateTime } from "../time/format.ts";
import { words } from "../words.ts";
import styles from "./proof-sheet.module.css";

type ProofSheetProps = {
  readonly item: ActivityItem;
  /** The number of the last entry, when the chain was verified. */
  readonly last: number | null;
  readonly onClose: () => void;
};

/** What stands behind one sentence: the entry as it is recorded, and its place in the chain. */
export function ProofSheet({ item, last, onClose }: ProofSheetProps): ReactNode {
  return (
    <Sheet title={words.proof.title(item.seq)} onClose={onClose} wide="wide">
      <p className={styles["sentence"]}>
        <Line text={item.sentence} />
      </p>
      <dl className={styles["facts"]}>
        <Fact name={words.proof.event}>
          <code>
            <Line text={item.event} />
          </code>
        </Fact>
        <Fact name={words.proof.outcome}>{words.activity.state[item.state]}</Fact>
        <Fact name={words.proof.who}>
          <Actor actor={item.actor} />
        </Fact>
        <Fact name={words.proof.when}>
          {dateTime(item.at)} <span className={styles["exact"]}>{item.at}</span>
        </Fact>
        <Fact name={words.proof.place}>
          <span className="mono">{last === null ? item.seq : words.proof.placeOf(item.seq, last)}</span>
        </Fact>
        <Hash name={words.proof.hash} value={item.hash} />
        <Hash name={words.proof.previous} value={item.prev_hash} />
        <Fact name={words.proof.data}>
          <Paragraphs text={JSON.stringify(item.data, null, 2)} className={styles["data"]} />
        </Fact>
      </dl>
      <p className={styles["check"]}>
        {words.proof.check} <code>{words.chain.command}</code>
      </p>
    </Sheet>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Actor({ actor }: { readonly actor: AuditActor }): ReactNode {
  return (
    <>
      {words.activity.actor[actor.kind]}{" "}
      {actor.kind === "owner" && (
        <span className={styles["exact"]}>
          <Line text={actor.session_id} />
        </span>
      )}
    </>
  );
}

function Hash({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <Fact name={name}>
      <span className={styles["hash"]}>
        <code>{value}</code>
        <CopyButton text={value} label={words.proof.copy(name)} />
      </span>
    </Fact>
  );
}
