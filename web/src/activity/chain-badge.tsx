import { Link2, Unlink2 } from "lucide-react";
import type { ReactNode } from "react";
import type { ChainBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Line } from "../parts/text.tsx";
import { words } from "../words.ts";
import styles from "./activity.module.css";

type ChainBadgeProps = {
  readonly chain: ChainBody | undefined;
  /** `kept`: what is shown is this browser's copy, which proves nothing about the chain. */
  readonly standing: "asked" | "kept" | "failed";
  readonly extent: "since_checkpoint" | "whole";
  readonly onWhole: () => void;
};

/** Whether the record is whole; when it is not, what is wrong first and what to do. */
export function ChainBadge({ chain, standing, extent, onWhole }: ChainBadgeProps): ReactNode {
  if (chain?.ok === false) {
    return (
      <div className={styles["broken"]} role="alert" data-chain="broken">
        <h2>
          <Unlink2 size={20} aria-hidden /> {words.chain.broken}
        </h2>
        <p>
          <Line text={chain.message} /> {words.chain.brokenBody(chain.entries_checked)}
        </p>
        <code>{words.chain.command}</code>
      </div>
    );
  }
  const holds = extent === "whole" ? words.chain.holds : words.chain.newHold;
  return (
    <div className={styles["chain"]}>
      <p className={styles["badge"]} data-chain={chain === undefined ? "unknown" : "holds"}>
        <Link2 size={16} aria-hidden />
        <span role="status">{chain === undefined ? WORDS[standing] : holds(chain.entries_checked)}</span>
      </p>
      {chain !== undefined && extent === "since_checkpoint" && (
        <Button size="small" onClick={onWhole}>
          {words.chain.checkAll}
        </Button>
      )}
    </div>
  );
}

const WORDS: { readonly [S in ChainBadgeProps["standing"]]: string } = {
  asked: words.chain.checking,
  kept: words.chain.unchecked,
  failed: words.chain.failed,
};
