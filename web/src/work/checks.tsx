import { CircleCheck, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import type { CheckResultBody, ShownTask, WorkDetailBody } from "#model";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import styles from "./run-page.module.css";
import { useSignedPlan } from "./signed-plan.ts";
import { Output } from "./steps.tsx";
import { isOver } from "./work-reads.ts";

type Expected = ShownTask["verify"][number];

/** What the checks said. What was expected comes from the text that was signed. */
export function Checks({ detail }: { readonly detail: WorkDetailBody }): ReactNode {
  const { results } = detail.run;
  const verify = useSignedPlan(detail)?.verify ?? null;
  const passed = results.filter((result) => result.passed).length;
  return (
    <section className={styles["part"]} aria-labelledby="checks">
      <h3 id="checks">
        {words.work.checks}{" "}
        {results.length > 0 && <span className={styles["faint"]}>{words.work.checksOf(passed, results.length)}</span>}
      </h3>
      {results.length === 0 && <p className={styles["faint"]}>{noneWords(detail, verify)}</p>}
      <ul className={styles["rows"]}>
        {results.map((result) => (
          <li key={result.name} data-testid="check" data-passed={result.passed ? "yes" : "no"}>
            <Check result={result} expected={verify?.find(({ name }) => name === result.name) ?? null} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function noneWords(detail: WorkDetailBody, verify: readonly Expected[] | null): string {
  if (verify?.length === 0) return words.work.noChecks;
  return isOver(detail) ? words.work.checksNotRun : words.work.checksWaiting;
}

type CheckProps = { readonly result: CheckResultBody; readonly expected: Expected | null };

function Check({ result, expected }: CheckProps): ReactNode {
  const { name, passed, reason, output, exit_code: code } = result;
  const Mark = passed ? CircleCheck : CircleX;
  const end = code === null ? [] : [words.work.end.exit(code)];
  return (
    <>
      <p className={styles["name"]}>
        <Mark size={16} aria-hidden />
        <Line text={name} />
        <span className={styles["faint"]}>{[passed ? words.work.passed : words.work.failed, ...end].join(", ")}</span>
      </p>
      {!passed && (
        <p className={styles["wrong"]}>
          <Line text={reason} />
        </p>
      )}
      {expected !== null && (
        <dl className={styles["facts"]}>
          <dt>{words.work.command}</dt>
          <dd>
            <code>
              <Line text={expected.run} />
            </code>
          </dd>
          <dt>{words.work.expected}</dt>
          <dd>
            <code>
              <Line text={expectWords(expected.expect)} />
            </code>
          </dd>
        </dl>
      )}
      {output !== "" && <Output label={words.work.outputOf(name)} text={output} isOpen={!passed} />}
    </>
  );
}

/** As the plan spells it; what is not asked for is left out. */
const expectWords = (expect: Expected["expect"]): string =>
  Object.entries(expect)
    .filter(([, value]) => value !== null && value !== false)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(", ");
