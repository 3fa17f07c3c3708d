import { oneLine, type Result } from "#base";
import {
  ownerKeyFromWire,
  type DeviceKeyRefusal,
  type KeyError,
  type OwnerKeyBody,
  type WaitingDeviceBody,
} from "#model";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";
import { findInstance } from "../client/instance.ts";
import { loadSetup } from "../client/setup.ts";
import { requirePerson } from "../terminal/ask.ts";
import type { Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, usage } from "../terminal/failure.ts";
import { askText } from "../terminal/prompts.ts";
import { printTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { keysFailure } from "./words.ts";

const CODE = /^\d{6}$/;

/**
 * Makes the key of a browser count, after a person compared the code it shows. Only a running instance knows of one: a
 * key that waits is kept nowhere else.
 */
export const confirmDevice: Handler<{ readonly json?: boolean }> = async (call) => {
  const { terminal, options, environment } = call;
  const instance = await findInstance(loadSetup(environment));
  if (instance === null) throw keysFailure({ code: "no_device_waits" });
  const { address } = instance;
  const waiting = await loadWaiting(address);
  if (waiting.length === 0) throw keysFailure({ code: "no_device_waits" });
  const code = (call.args[0] ?? (await askForCode(terminal, waiting))).replaceAll(/\s/g, "");
  if (!CODE.test(code)) throw usage("A code is six digits, as the browser shows them.");
  const confirmed = await ask<OwnerKeyBody, DeviceKeyRefusal | KeyError>(address, {
    method: "POST",
    path: "/api/keys/devices/confirm",
    body: JSON.stringify({ code }),
  });
  if (!confirmed.ok) throw keysFailure(confirmed.error);
  if (options.json) return terminal.json(confirmed.value);
  const { keyId, name } = ownerKeyFromWire(confirmed.value);
  terminal.line(`Confirmed ${oneLine(name)} (${keyId}); it signs approvals from now on.`);
  terminal.note("Signing the device out, or `silas keys revoke ID`, ends it.");
};

async function loadWaiting(address: InstanceAddress): Promise<readonly WaitingDeviceBody[]> {
  const listed = await ask<{ readonly waiting: readonly WaitingDeviceBody[] }, DeviceKeyRefusal>(address, {
    method: "GET",
    path: "/api/keys/devices/waiting",
  });
  if (!listed.ok) throw keysFailure(listed.error);
  return listed.value.waiting;
}

async function askForCode(terminal: Terminal, waiting: readonly WaitingDeviceBody[]): Promise<string> {
  requirePerson(terminal, {
    what: `${waiting.length === 1 ? "A device waits" : `${waiting.length} devices wait`} to be confirmed, and nobody can be asked here.`,
    kept: "Nothing was changed.",
    next: "Run `silas keys confirm CODE` with the code the browser shows.",
  });
  const columns = [{ header: "CODE" }, { header: "KEY", flexible: true }, { header: "DEVICE", spare: 1 }] as const;
  printTable(terminal, { columns, rows: waiting.map(({ code, name, device_name }) => [code, name, device_name]) });
  const typed = await askText("Type the code that your browser shows");
  if (typed !== null) return typed;
  throw new CommandFailure({ what: "Not confirmed.", kept: "Nothing was changed.", exit: EXIT.needsDecision });
}

const ask = async <T, E>(address: InstanceAddress, call: HttpCall): Promise<Result<T, E>> =>
  resultOf(await readAnswer(await callInstance(address, call)));
