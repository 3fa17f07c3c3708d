import type { ReactNode } from "react";
import type { ShownPayload } from "#model";
import { Line } from "../../parts/text.tsx";
import { words } from "../../words.ts";
import styles from "./card.module.css";

type ShownStep = Extract<ShownPayload, { readonly kind: "step_approval" }>;

/** What a gate asks before a step of a run, read from the text that is signed: the gate, the value, and the very call. */
export function StepFacts({ payload }: { readonly payload: ShownStep }): ReactNode {
  const { asked_by: askedBy, tool, args } = payload;
  return (
    <dl className={styles["facts"]} data-testid="step-facts">
      {askedBy.map(({ gate, value }) => (
        <div key={gate}>
          <dt>{words.card.gate}</dt>
          <dd>
            <Line text={value === null ? gate : `${gate}: ${value}`} />
          </dd>
        </div>
      ))}
      <div>
        <dt>{words.card.call}</dt>
        <dd className={styles["call"]}>
          <code>
            <Line text={callWords(tool, args)} />
          </code>
        </dd>
      </div>
    </dl>
  );
}

/** A command as its words; anything else as tool and arguments. All of it stands in the details, value by value. */
function callWords(tool: string, args: { readonly [name: string]: unknown }): string {
  const argv = args["argv"];
  return Array.isArray(argv) ? JSON.stringify(argv) : `${tool} ${JSON.stringify(args)}`;
}
