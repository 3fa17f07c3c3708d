import type { AutonomyViewBody, LimitKey } from "#model";
import { plural } from "./plural.ts";

type Evidence = AutonomyViewBody["evidence"][number];
type Said = { readonly when: string; readonly configured: string };

/** The catalogue's part about how far Silas goes without asking. */
export const limitWords = {
  heading: "Limits",
  lead: "How far Silas goes without asking you. Only you change these: in the configuration, or by approving a change.",
  names: {
    "standing.scope": "Standing approvals",
    "standing.max_executions": "Uses of one standing approval",
    "standing.expires_at": "Longest life of a standing approval",
    "batch_review.default_size": "Items of one batch",
    "batch_review.confidence.high_min": "Confidence an item of a batch needs",
  } satisfies { readonly [K in LimitKey]: string },
  value: (key: LimitKey, value: string): string => {
    if (key === "standing.scope") return value === "none" ? "none" : "goal repairs only";
    if (key === "standing.expires_at") return value === "none" ? "set by each approval" : `${value.slice(1, -1)} days`;
    return value;
  },
  state: {
    configured: () => "as configured",
    changed: ({ when, configured }: Said) => `as you approved ${when}; configured: ${configured}`,
    set_aside: () => "the configuration was edited since you approved a change, and counts",
    broken: () => "the approval of a change cannot be proven",
  },
  counted: (evidence: readonly Evidence[], { min_samples: needed }: AutonomyViewBody): string =>
    `Decisions counted since the last proposal: ${evidence
      .map(({ family, sample_size: size }) => `${families[family]} ${size} of at least ${needed}`)
      .join(", ")}.`,
  tighten: "Tighten approvals",
  tightening: "Signing",
  tightened: (count: number) => `${plural(count, { one: "limit", many: "limits" })} back to the configuration`,
  nothingWidened: "No limit is wider than you configured it.",
  notTightening: "What came back would not only tighten, so it was not signed. It waits in Review.",
  saidTightened: (count: number) => `Tightened ${plural(count, { one: "limit", many: "limits" })}.`,
  evidence: "Seen",
};

const families = { move_files: "batches of files", goal_repairs: "repairs of goals" } satisfies {
  readonly [F in Evidence["family"]]: string;
};
