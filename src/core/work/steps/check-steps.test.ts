import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { accepted, goalFile, planFile, problems, refused, STEPS_PLAN, taskFile } from "../../../../test/plan-texts.ts";

const step = (rest: string): string => taskFile(`steps:\n  - { name: a, ${rest} }`);
/** Codes and keys without their places. */
const found = (markdown: string): readonly string[] =>
  problems(markdown).map((problem) => problem.replace(/ \d+:\d+ /, " "));

describe("steps of a plan", () => {
  test("a plan with steps is read whole, with the defaults of each step", () => {
    const { item } = accepted(STEPS_PLAN);
    expect(item.files).toEqual({ read: ["/home/me/in"], write: ["/home/me/out"] });
    expect(item.steps[0]).toEqual({
      name: "make",
      run: "cp '/home/me/in/a b' out.txt",
      tool: null,
      args: {},
      artifacts: { copy: "out.txt" },
      timeout: 20,
      network: false,
      credentials: {},
    });
    expect(item.steps[1]).toMatchObject({ run: null, tool: "file_write", timeout: 300, artifacts: {} });
  });

  test("[PLAN-03] no steps, too many of them, or two of one name are refused", () => {
    expect(found(taskFile("steps: []"))).toEqual(["steps_empty steps"]);
    expect(found(taskFile("steps: none"))).toEqual(["wrong_value steps"]);
    expect(found(taskFile("steps:\n  - 7"))).toEqual(["wrong_value steps.0"]);
    const many = Array.from({ length: LIMITS.planSteps + 1 }, (_, index) => `  - { name: n${index}, run: ls }`);
    expect(found(taskFile(`steps:\n${many.join("\n")}`))).toEqual(["wrong_value steps"]);
    expect(found(taskFile("steps:\n  - { name: a, run: ls }\n  - { name: a, run: ls }"))).toEqual([
      "name_repeated steps.1.name",
    ]);
  });

  test("[PLAN-03] a step has either a command or a tool that exists, and no key that does not", () => {
    expect(found(step("timeout: 1"))).toEqual(["step_has_neither steps.0"]);
    expect(found(step("run: ls, tool: file_list, args: { path: . }"))).toEqual(["step_has_both steps.0.tool"]);
    expect(found(step("run: ls, args: { path: . }"))).toEqual(["step_args_alone steps.0.args"]);
    expect(refused(step("tool: file_reed, args: { path: a }"))).toMatchObject([
      { code: "unknown_tool", key: "steps.0.tool", nearest: "file_read" },
    ]);
    expect(found(step("tool: constructor"))).toEqual(["unknown_tool steps.0.tool"]);
    expect(found(step("run: ls, cwd: /"))).toEqual(["unknown_key steps.0.cwd"]);
    expect(found(step("run: 7"))).toEqual(["wrong_value steps.0.run"]);
  });

  test("[PLAN-03] a command of a step is words: whatever a shell would act on is refused", () => {
    for (const [run, code] of [
      ["a | b", "command_operator"],
      ["a && b", "command_operator"],
      ["a > b", "command_operator"],
      ["echo $HOME", "command_expansion"],
      ["ls *.txt", "command_expansion"],
      ["X=1 ls", "command_assignment"],
      ["", "command_empty"],
    ]) {
      expect(found(step(`run: ${JSON.stringify(run)}`)), run).toEqual([`${code} steps.0.run`]);
    }
  });

  test("[WORK-21] arguments fit the schema of their tool, each at its own key", () => {
    expect(found(step("tool: shell_exec"))).toEqual(["missing_key steps.0.args.argv"]);
    expect(found(step("tool: shell_exec, args: { argv: [] }"))).toEqual(["wrong_value steps.0.args.argv"]);
    expect(found(step('tool: shell_exec, args: { argv: ["", a] }'))).toEqual(["wrong_value steps.0.args.argv"]);
    expect(found(step("tool: shell_exec, args: { argv: ls }"))).toEqual(["wrong_value steps.0.args.argv"]);
    expect(found(step("tool: shell_exec, args: { argv: [ls, 7] }"))).toEqual(["wrong_value steps.0.args.argv.1"]);
    expect(found(step("tool: file_read, args: { path: a, mode: 7 }"))).toEqual(["unknown_key steps.0.args.mode"]);
    expect(found(step('tool: file_patch, args: { path: a, find: "", replace: b }'))).toEqual([
      "wrong_value steps.0.args.find",
    ]);
    expect(found(step("tool: python_exec, args: [a]"))).toEqual(["wrong_value steps.0.args"]);
    expect(accepted(step('tool: shell_exec, args: { argv: [echo, "a; b $(c) | d"] }')).item.steps).toHaveLength(1);
  });

  test("[PLAN-03] a time of nothing, of more than a day, or of half a second is refused", () => {
    for (const timeout of ["0", "86401", "0.5", "-1", '"5"']) {
      expect(found(step(`run: ls, timeout: ${timeout}`)), timeout).toEqual(["wrong_value steps.0.timeout"]);
    }
    expect(accepted(step("run: ls, timeout: 86400")).item.steps[0]?.timeout).toBe(86_400);
  });

  test("[PLAN-03] network and hosts go together: neither is approved for nothing", () => {
    const online = step("run: ls, network: true");
    const withHosts = (hosts: string, text = online): string => text.replace("steps:", `hosts: ${hosts}\nsteps:`);
    expect(found(online)).toEqual(["network_without_hosts steps.0.network"]);
    expect(found(withHosts("[a.example]", step("run: ls")))).toEqual(["hosts_unused hosts"]);
    expect(accepted(withHosts("[a.example, a.example:80]")).item.hosts).toHaveLength(2);
    expect(found(withHosts("[a.example, a.example:443]"))).toEqual(["name_repeated hosts.1"]);
  });

  test.each([
    ..."localhost 127.0.0.1 10.0.0.1 192.168.1.1:443 169.254.169.254 [::1] [::ffff:8.8.8.8] [fd00::1]:443".split(" "),
    ..."A.example a.example. *.example .example a.example:0 a.example:65536 a.example:x a.example/b b@a.example".split(
      " ",
    ),
    ..."https://a.example 2130706433 0x7f.1 1.2 a.1 -a.example a..example 2606:4700::1111 [8.8.8.8] аpi.example".split(
      " ",
    ),
  ])("[PLAN-03] %s is no host that can be approved", (host) => {
    const text = step("run: ls, network: true").replace("steps:", `hosts: ["${host}"]\nsteps:`);
    expect(found(text)).toEqual(["host_refused hosts.0"]);
  });

  test("[PLAN-03] artifacts lie in the workspace", () => {
    for (const path of ["/etc/passwd", "../a", "a/../../b", "a//b", "./a", "~/a", "a\\\\b", "a/"]) {
      expect(found(step(`run: ls, artifacts: { x: "${path}" }`)), path).toEqual(["path_refused steps.0.artifacts.x"]);
    }
    expect(found(step("run: ls, artifacts: { x y: a }"))).toEqual(["wrong_value steps.0.artifacts.x y"]);
    expect(found(step("run: ls, artifacts: { x: [a] }"))).toEqual(["wrong_value steps.0.artifacts.x"]);
  });
});

describe("what steps may reach", () => {
  const granted = (files: string, rest = ""): string => taskFile(`files: ${files}\n${rest}`);

  test("[PLAN-03] a grant is one plain absolute path outside of the system", () => {
    for (const path of [
      "a",
      "/",
      "/a/",
      "/a/../b",
      "/a/./b",
      "//a",
      "~/a",
      "/usr/lib",
      "/etc",
      "/proc/1",
      "/tmp/x",
      "/workspace",
    ]) {
      expect(found(granted(`{ read: ["${path}"] }`)), path).toEqual(["grant_refused files.read.0"]);
      expect(found(granted(`{ write: ["${path}"] }`)), path).toEqual(["grant_refused files.write.0"]);
    }
    expect(accepted(granted("{ read: [/home/me/notes, /home/me/notes-2] }")).item.files.read).toHaveLength(2);
  });

  test("[PLAN-03] no grant lies in another, so that each path has one answer", () => {
    expect(found(granted("{ read: [/home/me, /home/me] }"))).toEqual([
      "grant_overlaps files.read.0",
      "grant_overlaps files.read.1",
    ]);
    expect(found(granted("{ read: [/home/me], write: [/home/me/out] }"))).toEqual(["grant_overlaps files.write.0"]);
    expect(found(granted("{ read: [/home/me/in], write: [/home/me] }"))).toEqual(["grant_overlaps files.read.0"]);
  });

  test("[PLAN-03] a file tool names a path in the workspace or in a grant that allows what it does", () => {
    const files = "{ read: [/home/me/in], write: [/home/me/out] }";
    const tool = (name: string, path: string): string => {
      const rest = name === "file_write" ? ", content: x" : "";
      return granted(files, `steps:\n  - { name: a, tool: ${name}, args: { path: "${path}"${rest} } }`);
    };
    for (const path of ["/home/me/in/a", "/home/me/out/a", "a/b"]) accepted(tool("file_read", path));
    for (const path of ["/home/me/out", "/home/me/out/a", "a"]) accepted(tool("file_write", path));
    accepted(tool("file_list", "."));
    for (const [name, path] of [
      ["file_write", "/home/me/in/a"],
      ["file_write", "/home/me/output"],
      ["file_write", "."],
      ["file_read", "/etc/passwd"],
      ["file_read", "/home/me/in/../../you"],
      ["file_read", "../a"],
      ["file_read", "."],
    ] as const) {
      expect(found(tool(name, path)), `${name} ${path}`).toEqual(["step_path_refused steps.0.args.path"]);
    }
  });

  test("[PLAN-03] a goal has steps only for its repairs, and a project has neither steps nor grants", () => {
    const rest = "steps:\n  - { name: a, run: ls }\nfiles: { read: [/home/me/in] }";
    expect(found(goalFile(rest))).toEqual(["steps_without_repair steps"]);
    expect(accepted(goalFile(`on_failure: spawn_task\n${rest}`)).item.steps).toHaveLength(1);
    const named = "on_failure: mend\nescalation: { mend: { action: spawn_task } }";
    expect(accepted(goalFile(`${named}\n${rest}`)).item.files.read).toEqual(["/home/me/in"]);
    expect(accepted(goalFile("files: { read: [/home/me/in] }")).item.files.read).toEqual(["/home/me/in"]);
    expect(found(planFile(`id: p\ntype: project\ntitle: P\n${rest}`))).toEqual([
      "not_for_type steps",
      "not_for_type files",
    ]);
  });

  test("[PLAN-03] whatever a run of steps would not heed is refused beside them", () => {
    const lines = [
      'input_artifacts_from: ["*"]',
      "gates:",
      "  - { name: g, on: on_tool_call, allowed_values: [a], extract: host }",
      "  - { name: message, on: every_user_message, allowed_values: [a] }",
      "  - { name: late, on: after_step, after_step: 1, allowed_values: [a], extract: host }",
      "  - { name: file, on: after_step, after_step: 0, type: file_valid, extract: host }",
    ].join("\n");
    expect(found(step("run: ls").replace("steps:", `${lines}\nsteps:`)).toSorted()).toEqual([
      "missing_key follow_up_of",
      "not_with_steps gates.1.on",
      "not_with_steps gates.2.after_step",
      "not_with_steps gates.3.type",
    ]);
    expect(accepted(taskFile(lines)).item.gates).toHaveLength(4);
  });
});

test("[PLAN-03] a repository is for tasks with steps, at a plain path that is no place of the kernel, with a name of a commit", () => {
  const tree = (repository: string): string => step("run: ls").replace("steps:", `repository: ${repository}\nsteps:`);
  expect(found(taskFile("repository: { path: /srv/shop }"))).toEqual(["not_for_type repository"]);
  expect(() => found(tree("{ path: /home/ana/shop, ref: feature/one }"))).toThrow("accepted");
  expect(() => found(tree("{ path: /tmp/shop }"))).toThrow("accepted");
  for (const path of ["shop", "/home/../etc", "/proc/self", "/dev/shm/x", "/home/ana/"]) {
    expect(found(tree(`{ path: ${path} }`))).toEqual(["grant_refused repository.path"]);
  }
  for (const ref of ["--upload-pack=x", "-x", "a..b", "a b", "HEAD^", "a:b", "@{1}"]) {
    expect(found(tree(`{ path: /srv/shop, ref: "${ref}" }`))).toEqual(["wrong_value repository.ref"]);
  }
});
