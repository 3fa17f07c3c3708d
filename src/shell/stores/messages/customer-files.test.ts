import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "#config";
import { openCustomerFiles } from "./customer-files.ts";

function tempRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "silas-customers-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

test("[ACC-15] the directory is made so that only the owner may enter it, and one that was open is closed", () => {
  const dir = join(tempRoot(), "data", "customer_context");
  openCustomerFiles(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  chmodSync(dir, 0o777);
  openCustomerFiles(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

test("[ACC-14] a customer's record is read from its own file in that directory and from nowhere else", async () => {
  const root = tempRoot();
  const dir = join(root, "customer_context");
  const customers = openCustomerFiles(dir);
  const put = (name: string, text: string, mode = 0o600): void => {
    writeFileSync(join(dir, name), text, { mode });
    chmodSync(join(dir, name), mode);
  };
  put("ana.json", '{"name":"Ana","orders":[1,2]}');
  expect(await customers.load("ana")).toEqual({ name: "Ana", orders: [1, 2] });
  writeFileSync(join(root, "secret.json"), '{"name":"nobody"}');
  symlinkSync(join(root, "secret.json"), join(dir, "link.json"));
  mkdirSync(join(dir, "folder.json"));
  put("open.json", '{"name":"x"}', 0o666);
  put("list.json", "[1]");
  put("twice.json", '{"a":1,"a":2}');
  put("huge.json", `{"a":"${"x".repeat(70_000)}"}`);
  writeFileSync(join(dir, "bytes.json"), Buffer.from([0x7b, 0xff, 0x7d]), { mode: 0o600 });
  for (const id of ["link", "folder", "open", "list", "twice", "huge", "bytes", "absent"]) {
    expect([id, await customers.load(id)]).toEqual([id, null]);
  }
  for (const id of ["../secret", "..", "ana.json", "/etc/passwd", "a/b", "", "ana\u0000", ".ana"]) {
    expect([id, await customers.load(id)]).toEqual([id, null]);
  }
});

test("[ACC-14] Silas does not start with that directory elsewhere, as that of the checks, or open to everyone", () => {
  const root = tempRoot();
  mkdirSync(join(root, "config"));
  const refusals = (yaml: string): readonly string[] => {
    writeFileSync(join(root, "config/silas.yaml"), `silas:\n  ${yaml}\n`);
    const loaded = loadConfig({ env: {}, cwd: root, homeDir: root, platform: "linux" });
    return loaded.ok ? [] : loaded.error.map(({ code }) => code);
  };
  expect(refusals(`sandbox: { customer_context_dir: ${join(tmpdir(), "customers")} }`)).toEqual([
    "not_inside_data_dir",
  ]);
  expect(refusals("sandbox: { customer_context_dir: ./data/verify }")).toEqual(["same_directory"]);
  mkdirSync(join(root, "data/customer_context"), { recursive: true });
  chmodSync(join(root, "data/customer_context"), 0o707);
  expect(refusals("owner_id: owner")).toEqual(["world_writable"]);
  chmodSync(join(root, "data/customer_context"), 0o700);
  expect(refusals("owner_id: owner")).toEqual([]);
});
