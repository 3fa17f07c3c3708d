import { hostWords, parseHostRule } from "#model";
import type { Report } from "../problems.ts";
import type { WireRecord } from "../read-fields.ts";

/**
 * What may be reached, and who reaches it, belong together: network without hosts could reach nothing, and hosts that
 * nobody uses would be approved for nothing.
 */
export function checkNetwork(wire: WireRecord, report: Report): void {
  const hosts = listOf(wire["hosts"]).filter((host) => typeof host === "string");
  checkHosts(hosts, report);
  const steps = listOf(wire["steps"]);
  if (steps.length === 0 && wire["executor"] !== "model") return;
  const parts = [...partsOf("steps", steps), ...partsOf("verify", listOf(wire["verify"]))];
  const online = parts.filter(({ part }) => part["network"] === true);
  if (hosts.length > 0 && online.length === 0) report(["hosts"], { code: "hosts_unused" });
  if (hosts.length > 0) return;
  for (const { name, index } of online) report([name, index, "network"], { code: "network_without_hosts" });
}

function checkHosts(hosts: readonly string[], report: Report): void {
  const known = new Set<string>();
  hosts.forEach((text, index) => {
    const rule = parseHostRule(text);
    if (rule === null) return report(["hosts", index], { code: "host_refused" });
    if (known.has(hostWords(rule))) report(["hosts", index], { code: "name_repeated" });
    known.add(hostWords(rule));
  });
}

function partsOf(name: string, parts: readonly unknown[]) {
  return parts.flatMap((part, index) => (isRecord(part) ? [{ name, index, part }] : []));
}

const isRecord = (value: unknown): value is WireRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
