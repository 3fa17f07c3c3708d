import { Check, CircleDashed } from "lucide-react";
import type { ReactNode } from "react";
import { Line } from "../parts/text.tsx";
import { useModel } from "../talk/talk-reads.ts";
import { words } from "../words.ts";
import styles from "./home.module.css";

/** Two columns, honestly: what works on this machine now, and what a model is or would be needed for. */
export function Abilities(): ReactNode {
  const model = useModel();
  return (
    <div className={styles["columns"]}>
      <section aria-labelledby="works-now">
        <h2 id="works-now">{words.home.worksNow}</h2>
        <Rows rows={words.home.works} mark={<Check size={18} aria-hidden />} />
      </section>
      {model === null ? (
        <section aria-labelledby="needs-model" data-kind="later">
          <h2 id="needs-model">{words.home.needsModel}</h2>
          <Rows rows={words.home.needs} mark={<CircleDashed size={18} aria-hidden />} />
          <p className={styles["honest"]}>{words.home.noModelYet}</p>
        </section>
      ) : (
        <section aria-labelledby="with-model">
          <h2 id="with-model">
            <Line text={words.home.withModel(model.name)} />
          </h2>
          <Rows rows={words.home.needs} mark={<Check size={18} aria-hidden />} />
        </section>
      )}
    </div>
  );
}

type RowsProps = { readonly rows: readonly (readonly [string, string])[]; readonly mark: ReactNode };

function Rows({ rows, mark }: RowsProps): ReactNode {
  return (
    <ul className={styles["abilities"]}>
      {rows.map(([name, what]) => (
        <li key={name}>
          {mark}
          <div>
            <h3>{name}</h3>
            <p>{what}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
