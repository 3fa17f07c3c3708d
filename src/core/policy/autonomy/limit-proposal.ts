import { plainMoment, type Instant } from "#base";
import {
  FAMILY_WORDS,
  type ActionFamily,
  type EvidenceWindow,
  type LimitChange,
  type LimitValues,
  type LimitBounds,
  type Payload,
} from "#model";
import { quantity } from "../card-words.ts";
import { directionFrom, stepChanges, type CalibrationSettings } from "./calibrate.ts";

type LimitPayload = Extract<Payload, { readonly kind: "autonomy_threshold" }>;

type Arguing = {
  readonly family: ActionFamily;
  readonly window: EvidenceWindow;
  readonly values: LimitValues;
  readonly bounds: LimitBounds;
  readonly settings: CalibrationSettings;
  readonly proposalId: string;
  readonly at: Instant;
};

/** The proposal that a window of decisions argues for; null when it argues for none. [AUTO-08] */
export function limitProposal({
  family,
  window,
  values,
  bounds,
  settings,
  proposalId,
  at,
}: Arguing): LimitPayload | null {
  const direction = directionFrom(window, settings);
  if (direction === null) return null;
  const changes = stepChanges({ family, direction, values, bounds });
  if (changes.length === 0) return null;
  const rate = direction === "widen" ? settings.widenBelow : settings.tightenAbove;
  return {
    ...proposalOf({ changes, proposalId, at }),
    sample_size: window.sampleSize,
    correction_rate: window.correctionRate,
    evidence_window: windowWords(family, window),
    rationale: `${direction === "widen" ? "Fewer" : "More"} than ${percent(rate)} percent of your last decisions on ${FAMILY_WORDS[family]} were corrections.`,
  };
}

/** What somebody asks for without any count behind it, and it says so. */
export function askedProposal(asked: Pick<Arguing, "proposalId" | "at"> & Changing): LimitPayload {
  return { ...proposalOf(asked), ...NO_EVIDENCE, rationale: "You asked for it yourself." };
}
type Changing = { readonly changes: readonly LimitChange[] };

/** Nobody but Silas counts decisions, so whatever comes from elsewhere claims none. */
const NO_EVIDENCE = {
  sample_size: 0,
  correction_rate: 0,
  evidence_window: "asked for by hand, no decisions counted",
} as const;

/** Whether a proposal claims decisions that were counted. */
export const claimsEvidence = ({ sample_size, correction_rate, evidence_window }: Claim): boolean =>
  sample_size !== NO_EVIDENCE.sample_size ||
  correction_rate !== NO_EVIDENCE.correction_rate ||
  evidence_window !== NO_EVIDENCE.evidence_window;
type Claim = Pick<LimitPayload, "sample_size" | "correction_rate" | "evidence_window">;

const proposalOf = ({ changes, proposalId, at }: Pick<Arguing, "proposalId" | "at"> & Changing) => ({
  kind: "autonomy_threshold" as const,
  proposal_id: proposalId,
  scope_id: "owner",
  goal_id: null,
  changes: changes.map((change) => ({ ...change })),
  risk_level: changes.some(({ direction }) => direction === "widen") ? ("high" as const) : ("medium" as const),
  created_at: at,
});

/** Everything that was counted, in one line that is signed with the changes. [AUTO-12] [AUTO-14] */
function windowWords(family: ActionFamily, { sampleSize, counts, from, to }: EvidenceWindow): string {
  const span = from === null || to === null ? "" : `, ${plainMoment(from)} to ${plainMoment(to)}`;
  const { approved, edit_selection: edited, declined, undo } = counts;
  return `${quantity(sampleSize, "decision")} on ${FAMILY_WORDS[family]}${span}: ${approved} approved, ${edited} chosen from, ${declined} declined, ${undo} taken back`;
}

const percent = (share: number): string => String(Math.round(share * 1000) / 10);
