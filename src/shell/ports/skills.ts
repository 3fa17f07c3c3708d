/** Skills: where their folders lie, what keeps their installations, and what a surface may do with them. */
import type { Instant, Result, Sha256Hex } from "#base";
import type {
  AuditActor,
  SkillCheck,
  SkillFile,
  SkillInstall,
  SkillRefusal,
  SkillTreeRefused,
  SkillView,
  StoreFault,
} from "#model";
import type { Proposed, ProposeRefusal } from "./approvals.ts";

/** Every file of a skill as it was read in one go: whoever uses it uses these bytes, whatever lies there later. */
export type SkillTree = {
  readonly files: readonly (SkillFile & { readonly bytes: Uint8Array })[];
  readonly digest: Sha256Hex;
};

/** The folder of the owner's skills, one folder for each. Nothing in it is trusted: a link or a device refuses a skill. */
export interface SkillFolders {
  /** Names of folders there, in their order. */
  names(): Promise<readonly string[]>;
  read(name: string): Promise<Result<SkillTree, SkillTreeRefused>>;
  /** A folder anywhere on this machine. */
  readAt(path: string): Promise<Result<SkillTree, SkillTreeRefused>>;
  /** Lays a copy of a skill there; false when a folder of that name is there already. All of it, or nothing. */
  add(name: string, tree: SkillTree): Promise<Result<boolean, SkillTreeRefused>>;
  /** Removes a folder with everything in it. */
  remove(name: string): Promise<Result<void, SkillTreeRefused>>;
}

/** Installations, in `silas.db`. Each change commits together with its audit entry. */
export interface SkillStore {
  /** The last that counts of each skill: active or failed; in the order of their names. */
  current(): Promise<Result<readonly SkillInstall[], StoreFault>>;
  find(name: string): Promise<Result<SkillInstall | null, StoreFault>>;
  /**
   * Keeps what became of an approved installation. One that is active takes the place of the one before it.
   * INVARIANT: of one decision one installation is made; carrying it out twice changes nothing. [INV-06]
   */
  settle(settled: SettledInstall): Promise<Result<void, StoreFault>>;
  /** False when there was nothing to remove. */
  remove(removal: SkillRemoval): Promise<Result<boolean, StoreFault>>;
}
export type SettledInstall = Omit<SkillInstall, "state"> & {
  readonly state: "active" | "failed";
  readonly actor: AuditActor;
};
export type SkillRemoval = { readonly name: string; readonly at: Instant; readonly actor: AuditActor };

/** What the terminal may do with skills. A place is the name of a skill, or a folder of this machine. */
export interface SkillsDoor {
  check(place: string): Promise<Result<SkillCheck, SkillRefusal | StoreFault>>;
  /** Asks for the installation. A folder from elsewhere is copied among the skills first. [INST-01] */
  install(place: string, actor: AuditActor): Promise<Result<Proposed, SkillRefusal | ProposeRefusal>>;
  list(): Promise<Result<readonly SkillView[], StoreFault>>;
  show(name: string): Promise<Result<ShownSkill, SkillRefusal | StoreFault>>;
  /** Ends its installation, and removes its folder. */
  remove(name: string, actor: AuditActor): Promise<Result<void, SkillRefusal | StoreFault>>;
}
type ShownSkill = { readonly view: SkillView; readonly check: SkillCheck | null };
