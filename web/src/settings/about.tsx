import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { zoneHere } from "../time/clock.ts";
import { readStatus } from "../wire/http.ts";
import { words } from "../words.ts";
import styles from "./settings.module.css";

export function About(): ReactNode {
  const { data } = useQuery({
    queryKey: ["status"],
    queryFn: async () => {
      const answer = await readStatus();
      return answer.ok ? answer.value : null;
    },
  });
  return (
    <section className={styles["card"]}>
      <h2>{words.settings.about}</h2>
      <dl className={styles["facts"]}>
        <Fact name={words.settings.zone} value={zoneHere()} />
        <Fact name={words.settings.mode} value={words.mode.builtIn} />
        {data != null && (
          <>
            <Fact name={words.settings.version} value={data.version} />
            <Fact name={words.settings.address} value={data.url} />
            <Fact name={words.settings.dataDir} value={data.data_dir} />
          </>
        )}
      </dl>
    </section>
  );
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string }): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
