/** Plans whose one check is whether the morning is greeted. */

const CHECK = `verify:
  - { name: it greets, run: cat out.txt, expect: { contains: morning } }
---

# What to do

Write a greeting for the morning.
`;

type Greeting = { readonly id: string; readonly content: string; readonly title?: string };

/** Writes these words and shows them. */
export const greetingPlan = ({ id, content, title = "Write a greeting" }: Greeting): string => `---
id: ${id}
type: task
title: ${title}
skills: []
budget: { max_wall_time_seconds: 600, max_attempts: 1 }
steps:
  - { name: write, tool: file_write, args: { path: out.txt, content: ${content} } }
${CHECK}`;

/** A model writes them, within this. */
export const modelGreetingPlan = (budget: string): string => `---
id: task-model
type: task
title: Have a greeting written
executor: model
tools: [file_write]
skills: []
budget: { max_wall_time_seconds: 600, ${budget} }
${CHECK}`;
