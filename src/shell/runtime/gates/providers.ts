import type { Gate, GateContext, SecretScan } from "#model";
import {
  judgeFile,
  judgePredicate,
  judgeValidation,
  pathToCheck,
  textToGuard,
  unknownValidator,
  type Validate,
  type ValidatorKind,
} from "#policy";
import type { GateProvider } from "#ports";
import { findSecrets } from "../secrets/find-secrets.ts";
import { matchPattern } from "./linear-patterns.ts";
import { lookAtFile } from "./work-files.ts";

/** Checks that need nothing but the value, a pattern engine, and one look at a file. [PRED-01] */
export function createPredicateProvider({ workDir }: { readonly workDir: string }): GateProvider {
  return {
    async check(gate, context) {
      if (gate.type !== "file_valid") return judgePredicate({ gate, context, match: matchPattern });
      const path = pathToCheck(gate, context);
      if (!path.ok) return path.error;
      return judgeFile(gate, { path: path.value, fact: await lookAtFile(workDir, path.value) });
    },
  };
}

export type Validators = { readonly [name: string]: ValidatorKind };

/** Text validators by name. Each is built when a gate first asks for it, once per gate. [GUARD-03] */
export function createGuardrailProvider(validators: Validators, find = findSecrets): GateProvider {
  const built = new WeakMap<Gate, Validate>();
  return {
    check(gate, context) {
      const kind = gate.check !== null && Object.hasOwn(validators, gate.check) ? validators[gate.check] : undefined;
      if (kind === undefined) return unknownValidator(gate.check);
      const guarded = textToGuard(gate, context);
      if (!guarded.ok) return guarded.error;
      const validate = built.get(gate) ?? kind.build(gate.config);
      built.set(gate, validate);
      const { text } = guarded.value;
      const judge = (secrets: SecretScan | null) => judgeValidation(validate(text, { secrets }), guarded.value);
      return kind.needs === undefined ? judge(null) : find(text).then(judge);
    },
  };
}

/** A check written in TypeScript, registered where Silas is put together. */
type GateCallable = (gate: Gate, context: GateContext) => unknown;
export type GateCallables = { readonly [name: string]: GateCallable };

/** Callables by the name a gate gives as `check`. What they answer is judged like anybody's answer. [GATE-12] */
export function createCustomProvider(callables: GateCallables): GateProvider {
  return {
    check(gate, context) {
      const callable = gate.check !== null && Object.hasOwn(callables, gate.check) ? callables[gate.check] : undefined;
      return callable === undefined ? unknownValidator(gate.check) : callable(gate, context);
    },
  };
}
