import { Check, CircleDashed } from "lucide-react";
import type { ReactNode } from "react";
import { words } from "../words.ts";
import styles from "./home.module.css";

/** Two columns, honestly: what works on this machine now, and what a model would be needed for. */
export function Abilities(): ReactNode {
  return (
    <div className={styles["columns"]}>
      <section aria-labelledby="works-now">
        <h2 id="works-now">{words.home.worksNow}</h2>
        <Rows rows={words.home.works} mark={<Check size={18} aria-hidden />} />
      </section>
      <section aria-labelledby="needs-model" data-kind="later">
        <h2 id="needs-model">{words.home.needsModel}</h2>
        <Rows rows={words.home.needs} mark={<CircleDashed size={18} aria-hidden />} />
        <p className={styles["honest"]}>{words.home.noModelYet}</p>
      </section>
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
