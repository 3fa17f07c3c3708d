/** Texts of plans, and short ways to read them, for every test that is about plans. */
import type { Instant } from "#base";
import { parseYaml } from "#config";
import { parsePlan, type ParsedPlan, type PlanProblem } from "#work";

export const AT = "2026-11-15T21:00:00.000Z" as Instant;

export const BODY = `
# Context
Why.

# What to do
1. This.

# Constraints
Not that.

# If you get stuck
Stop.
`;

export const planFile = (frontMatter: string, body = BODY): string => `---\n${frontMatter.trim()}\n---\n${body}`;

/** A plan with the three keys it must have, and more lines after them. */
export const taskFile = (lines = "", body = BODY): string =>
  planFile(`id: task-1\ntype: task\ntitle: A task\n${lines}`, body);

/** One that something would carry out, as every task that is proposed has to be. */
export const stepFile = (lines = "", body = BODY): string =>
  taskFile(`steps:\n  - { name: look, run: "true" }\n${lines}`, body);

export const goalFile = (lines = ""): string => planFile(`id: goal-1\ntype: goal\ntitle: A goal\n${lines}`);

export const parse = (markdown: string) => parsePlan({ markdown, readYaml: parseYaml, at: AT });

export function accepted(markdown: string): ParsedPlan {
  const parsed = parse(markdown);
  if (!parsed.ok) throw new Error(`refused: ${JSON.stringify(parsed.error)}`);
  return parsed.value;
}

export function refused(markdown: string): readonly PlanProblem[] {
  const parsed = parse(markdown);
  if (parsed.ok) throw new Error("accepted");
  return parsed.error;
}

/** `code line:column key` of every problem. */
export const problems = (markdown: string): readonly string[] =>
  refused(markdown).map(({ code, line, column, key }) => `${code} ${line}:${column} ${key ?? "-"}`);

/** Says something in every field a plan has. */
export const WHOLE_PLAN = planFile(`
id: goal-0190f8a2
type: goal
title: Keep the page answering
parent: project-1
spawned_by: goal-0
follow_up_of: task-9
domain: business:workshop
agent: ephemeral
budget: { max_tokens: 1000, max_cost_usd: 0.5, max_wall_time_seconds: 60, max_attempts: 2, max_planner_calls: 1 }
needs_approval: true
interaction_mode: act_and_report
input_artifacts_from: [report.md]
verify:
  - { name: answers, run: "curl --fail 'https://a.example/?q=1'", expect: { exit_code: 0 }, timeout: 20, network: true }
  - { name: page, run: cat page.html, expect: { file_exists: out/page.html } }
gates:
  - name: size
    on: after_step
    after_step: 2
    provider: predicate
    type: numeric_range
    check: size
    config: { unit: kb, deep: { list: [1, two, null, true] } }
    extract: size
    auto_approve: { min: 0, max: 10 }
    require_approval: { min: 10, max: 20 }
    block: { outside: [0, 100] }
    allowed_values: [a]
    approval_values: [b]
    on_block: tell
    check_command: test -s 'page.html'
    check_expect: { not_empty: true }
    promote_to_policy: true
skills: [http-check]
access_levels:
  guest: { description: Anyone, tools: [web_search], requires: [size], expires_after: 60 }
escalation:
  tell: { action: escalate_human, queue: owner, message: Look, instruction: Kindly, max_retries: 1, fallback: report }
schedule: "*/30 * * * *"
on_failure: tell
on_stuck: tell
failure_context: "Repair: $failed_checks"
depends_on: [task-3]
`);

/** The same for where nothing is installed: a plan that lists a skill would not even be asked about. */
export const WITHOUT_SKILLS = WHOLE_PLAN.replace("skills: [http-check]", "skills: []");

/** Runs by itself: a command, a file tool and a script, with a place to read and one to change. */
export const STEPS_PLAN = taskFile(`
files: { read: [/home/me/in], write: [/home/me/out] }
steps:
  - { name: make, run: "cp '/home/me/in/a b' out.txt", artifacts: { copy: out.txt }, timeout: 20 }
  - { name: write, tool: file_write, args: { path: /home/me/out/list.txt, content: "one\\n" } }
  - { name: count, tool: python_exec, args: { script: "print(1)", args: [-x] } }
verify:
  - { name: there, run: cat out.txt, expect: { not_empty: true } }
`);

/** Medium: two checks inside the sandbox, no network, no secret. */
export const mediumPlan = (title = "Gather this week's notes into one page", id = "task-notes"): string =>
  planFile(`
id: ${id}
type: task
title: ${JSON.stringify(title)}
budget: { max_tokens: 50000, max_cost_usd: 0.5, max_wall_time_seconds: 600 }
steps:
  - { name: write the page, tool: file_write, args: { path: notes/week-46.md, content: "${"## A day\\n".repeat(7)}" } }
verify:
  - { name: page exists, run: test -s notes/week-46.md, expect: { exit_code: 0 } }
  - { name: seven days, run: "grep -c '^## ' notes/week-46.md", expect: { equals: "7" }, timeout: 10 }
`);

/** High: it runs again and again with nobody looking; not in the time of a test. */
export const highPlan = (title = "Keep the workshop page answering"): string =>
  planFile(`
id: goal-page
type: goal
title: ${title}
schedule: "0 3 1 1 *"
skills: []
budget: { max_cost_usd: 1, max_attempts: 3 }
verify:
  - { name: page answers, run: "curl --fail https://workshop.example/", expect: { exit_code: 0 }, network: true }
  - { name: page has its title, run: "grep -o '<title>.*</title>' page.html", expect: { contains: Workshop } }
`);
