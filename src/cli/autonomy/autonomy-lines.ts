import { plainMoment } from "#base";
import { FAMILY_WORDS, LIMIT_WORDS, type AutonomyView, type EvidenceView, type LimitView } from "#model";

/** How limits stand and what argues for other ones, for a terminal. */
export function describeAutonomy(view: AutonomyView): readonly string[] {
  return [
    "Limits of what happens without asking",
    ...view.limits.flatMap(limitLines),
    "",
    `Decisions counted: the last ${view.windowActions}, not older than ${view.windowDays} days, since the last proposal`,
    ...view.evidence.flatMap((evidence) => evidenceLines(evidence, view)),
    ...(view.enabled ? [] : ["", "Nothing is proposed: `autonomy.enabled` is off."]),
  ];
}

function limitLines({ key, value, configured, changedBy, changedAt, state }: LimitView): readonly string[] {
  const when = changedAt === null ? "" : `, ${plainMoment(changedAt)}`;
  const why = {
    configured: "as configured",
    changed: `changed by approval ${changedBy}${when}; configured: ${configured}`,
    set_aside: `the configuration was edited since approval ${changedBy}, and counts`,
    broken: `the approval ${changedBy} behind a change cannot be proven; \`silas doctor\` looks for the cause`,
  }[state];
  return [`  ${key} = ${value}  (${why})`, `      ${LIMIT_WORDS[key]}`];
}

function evidenceLines(evidence: EvidenceView, view: AutonomyView): readonly string[] {
  const { family, sampleSize, approved, editSelection, declined, undo, correctionRate, openRequest } = evidence;
  const rate = correctionRate === null ? "none yet" : `${percent(correctionRate)} corrected`;
  return [
    `  ${FAMILY_WORDS[family]}: ${sampleSize} of at least ${view.minSamples}, ${rate}`,
    `      ${approved} approved, ${editSelection} chosen from, ${declined} declined, ${undo} taken back`,
    `      below ${percent(view.widenBelow)} wider limits are proposed, above ${percent(view.tightenAbove)} tighter ones`,
    ...(openRequest === null ? [] : [`      a proposal waits: \`silas approve ${openRequest}\``]),
  ];
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;
