import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LIMITS } from "#base";
import type { CustomerContexts } from "#ports";
import { openCustomerFiles } from "#stores";

/** A record of exactly so many bytes. */
const sized = (bytes: number): string => `{"a":"${"x".repeat(bytes - '{"a":""}'.length)}"}`;

type Files = { readonly [customerId: string]: string };

function open(files: Files): CustomerContexts {
  const dir = mkdtempSync(join(tmpdir(), "silas-customers-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const customers = openCustomerFiles(dir);
  for (const [id, text] of Object.entries(files)) writeFileSync(join(dir, `${id}.json`), text, { mode: 0o600 });
  return customers;
}

describe("records of customers", () => {
  test("[ACC-13] a record is found by its id alone, and as it is written; without one there is none", async () => {
    const customers = open({ ana: '{"name":"Ana","orders":[1,2]}', "b-1@x": "{}" });
    expect(await customers.load("ana")).toEqual({ name: "Ana", orders: [1, 2] });
    expect(await customers.load("b-1@x")).toEqual({});
    for (const id of ["Ana", "an", "eve"]) expect([id, await customers.load(id)]).toEqual([id, null]);
  });

  test("[ACC-14] an id that is no plain name finds nothing, and what is no record is none", async () => {
    const customers = open({
      list: "[1]",
      twice: '{"a":1,"a":2}',
      half: '{"a":',
      text: '"ana"',
      huge: sized(LIMITS.customerBytes + 1),
      large: sized(LIMITS.customerBytes),
      ana: "{}",
    });
    const ids = [
      "list",
      "twice",
      "half",
      "text",
      "huge",
      "../ana",
      "./ana",
      "ana.json",
      "",
      "ana\u0000",
      ".ana",
      "/ana",
    ];
    for (const id of ids) expect([id, await customers.load(id)]).toEqual([id, null]);
    expect(await customers.load("large")).not.toBeNull();
  });
});
