/** One way of doing the work of a line, run once: answers with its cost in the line's unit. Less is better. */
export type Contender = () => number | Promise<number>;

/**
 * What a line promises: this much of the other's speed at least, this many times its cost at most, or for what a person
 * waits for or pays in space, a figure of its own.
 */
export type Goal =
  | {
      readonly against: "limit" | "peer";
      readonly compare: "speed_at_least" | "cost_at_most";
      readonly factor: number;
      /** For what is cheap: as much more, in the line's unit, is fine whatever the factor. */
      readonly orMore?: number;
    }
  | { readonly against: "figure"; readonly atMost: number };

/** A measured line: the product, the bare primitive below it (limit) and a known alternative (peer). */
export type Line = {
  readonly what: string;
  readonly unit: string;
  readonly product: Contender;
  readonly limit: Contender | null;
  readonly peer: Contender | null;
  readonly goals: readonly Goal[];
  /** How often the contenders take turns; three by default. Sizes need one, starting a process more. */
  readonly rounds?: number;
};

/** A row of the printed table; one per goal, or one without a goal for lines that only inform. */
export type Row = {
  readonly what: string;
  readonly unit: string;
  readonly product: number;
  readonly limit: number | null;
  readonly peer: number | null;
  readonly against: "limit" | "peer" | null;
  readonly ratio: number | null;
  readonly goal: string;
  readonly ok: boolean | null;
};

const ROUNDS = 3;

/**
 * Measures a line: a first round warms up and is thrown away, then the contenders take turns, so that a busy machine
 * slows all of them alike. A ratio is taken within each round; figures are medians.
 */
export async function measureLine(line: Line): Promise<readonly Row[]> {
  const rounds: Round[] = [];
  const roundsMax = line.rounds ?? ROUNDS;
  for (let round = 0; round <= roundsMax; round += 1) {
    const measured = {
      product: await line.product(),
      limit: line.limit === null ? null : await line.limit(),
      peer: line.peer === null ? null : await line.peer(),
    };
    if (round > 0) rounds.push(measured);
  }
  const figures = {
    what: line.what,
    unit: line.unit,
    product: median(rounds.map(({ product }) => product)),
    limit: line.limit === null ? null : median(rounds.map(({ limit }) => limit ?? 0)),
    peer: line.peer === null ? null : median(rounds.map(({ peer }) => peer ?? 0)),
  };
  if (line.goals.length > 0) {
    return line.goals.map((goal) =>
      goal.against === "figure"
        ? { ...figures, against: null, ratio: null, goal: `<= ${goal.atMost}`, ok: figures.product <= goal.atMost }
        : { ...figures, ...judge(goal, rounds) },
    );
  }
  const against = line.limit !== null ? "limit" : line.peer !== null ? "peer" : null;
  const ratio = against === null ? null : speedRatio(against, rounds);
  return [{ ...figures, against, ratio, goal: "-", ok: null }];
}

/** CPU microseconds per operation: other processes on the machine do not count, helper threads of this one do. */
export function cpuMicrosPerOperation(operations: number, work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / operations;
}

/** The value that the given share of the others stays below: `quantile(times, 0.5)` is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

type Round = { readonly product: number; readonly limit: number | null; readonly peer: number | null };

function judge(
  goal: Exclude<Goal, { readonly against: "figure" }>,
  rounds: readonly Round[],
): Pick<Row, "against" | "ratio" | "goal" | "ok"> {
  const speed = speedRatio(goal.against, rounds);
  if (goal.compare === "speed_at_least") {
    return { against: goal.against, ratio: speed, goal: `>= ${goal.factor}x speed`, ok: speed >= goal.factor };
  }
  const cost = 1 / speed;
  const more = median(rounds.map((round) => round.product - (round[goal.against] ?? Number.NaN)));
  const isOk = cost <= goal.factor || more <= (goal.orMore ?? 0);
  const words = goal.orMore === undefined ? "" : ` or ${goal.orMore} more`;
  return { against: goal.against, ratio: cost, goal: `<= ${goal.factor}x cost${words}`, ok: isOk };
}

function speedRatio(against: "limit" | "peer", rounds: readonly Round[]): number {
  return median(rounds.map((round) => (round[against] ?? Number.NaN) / round.product));
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
