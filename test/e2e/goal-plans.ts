/** A goal that keeps a page in a folder of the owner; nothing but that folder is in its reach. */
export const pageGoalPlan = (place: string): string => `---
id: goal-page
type: goal
title: Keep the page there
schedule: "0 6 * * *"
on_failure: spawn_task
budget: { max_attempts: 1, max_wall_time_seconds: 600 }
files: { write: [${place}] }
steps:
  - { name: write the page, tool: file_write, args: { path: ${place}/page.html, content: "<title>Workshop</title>" } }
verify:
  - { name: page has its title, run: "grep -c Workshop ${place}/page.html", expect: { equals: "1" } }
---

# What to do

Write the page again.
`;
