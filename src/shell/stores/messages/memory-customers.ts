import type { CustomerContexts } from "#ports";
import { CUSTOMER_ID, recordOf } from "./customer-files.ts";

/** The in-memory twin of the files of customers: what would stand in each, by the id it belongs to. */
export function createMemoryCustomers(files: ReadonlyMap<string, string>): CustomerContexts {
  return {
    load: async (customerId) => {
      const text = CUSTOMER_ID.test(customerId) ? files.get(customerId) : undefined;
      return text === undefined ? null : recordOf(new TextEncoder().encode(text));
    },
  };
}
